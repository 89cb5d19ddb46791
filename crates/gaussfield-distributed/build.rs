//! Compiles the few lines of C that call hypre, where the feature asks for it.

fn main() {
    println!("cargo:rerun-if-changed=src/hypre.c");
    #[cfg(feature = "hypre")]
    hypre();
}

/// Against the headers that are installed, by the compiler of the MPI that is: types are checked, and
/// nothing is assumed about how either library lays out its own.
#[cfg(feature = "hypre")]
fn hypre() {
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rerun-if-env-changed=HYPRE_INCLUDE");
    println!("cargo:rerun-if-env-changed=HYPRE_LIB");
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    // Debian's build with 64-bit numbers of rows.
    let include = std::env::var("HYPRE_INCLUDE").unwrap_or_else(|_| "/usr/include/hypre64m".into());
    let library = std::env::var("HYPRE_LIB").unwrap_or_else(|_| "HYPRE64m".into());
    let mut build = cc::Build::new();
    build.compiler(compiler).include(include).file("src/hypre.c");
    if cfg!(feature = "faults") {
        build.define("GF_FAULTS", None);
    }
    build.compile("gf_hypre");
    println!("cargo:rustc-link-lib={library}");
}
