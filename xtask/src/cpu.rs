//! The environment in which OpenBLAS runs well.
//!
//! `OPENBLAS_NUM_THREADS=1`: the parallel level is rayon's (trials, columns or
//! rows). OpenBLAS threads inside a rayon pool fight for the same cores; many
//! small factorisations then take tens of times longer.
//!
//! `OPENBLAS_CORETYPE`: OpenBLAS picks its kernels by CPU model. A release
//! older than the CPU does not know the model and falls back to generic
//! kernels, two to three times slower in Cholesky and inverse. The CPU's flags
//! say which kernels would run, whatever its model. The variable is read once,
//! when the library is loaded, so it has to be set before the process starts:
//! here, by the launcher. A build of OpenBLAS for one fixed CPU ignores it.
//!
//! A setting of the user's own always wins.

/// The variables to set, given what the environment already has.
pub(crate) fn openblas_environment(
    is_set: impl Fn(&str) -> bool,
    cpuinfo: Option<&str>,
) -> Vec<(&'static str, &'static str)> {
    let mut variables = Vec::new();
    // Not OMP_NUM_THREADS: it is often set for other programs' sake, and
    // OPENBLAS_NUM_THREADS takes precedence over it.
    if !is_set("OPENBLAS_NUM_THREADS") {
        variables.push(("OPENBLAS_NUM_THREADS", "1"));
    }
    if !is_set("OPENBLAS_CORETYPE")
        && let Some(core) = cpuinfo.and_then(core_type)
    {
        variables.push(("OPENBLAS_CORETYPE", core));
    }
    variables
}

/// The kernel set for the first CPU in the text of `/proc/cpuinfo`.
///
/// `None` where the text has no x86 flags or the CPU is older than Haswell:
/// there OpenBLAS knows the model itself.
pub(crate) fn core_type(cpuinfo: &str) -> Option<&'static str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    let (_, flags) = line.split_once(':')?;
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let has_all = |needed: &[&str]| needed.iter().all(|flag| flags.contains(flag));
    if has_all(&["avx512f", "avx512bw", "avx512vl", "avx512dq"]) {
        Some("SkylakeX")
    } else if has_all(&["avx2", "fma"]) {
        Some("Haswell")
    } else {
        None
    }
}

/// `/proc/cpuinfo` on x86-64 Linux, nothing elsewhere.
pub(crate) fn cpuinfo() -> Option<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return None;
    }
    std::fs::read_to_string("/proc/cpuinfo").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_type_by_flags() {
        let cases = [
            ("flags\t\t: fpu sse2 avx2 fma avx512f avx512bw avx512vl avx512dq", Some("SkylakeX")),
            ("flags\t\t: fpu sse2 avx2 fma avx512f", Some("Haswell")), // Knights Landing
            ("processor\t: 0\nflags\t\t: avx avx2 fma\nbugs\t:", Some("Haswell")),
            ("flags\t\t: avx fma4", None), // Bulldozer
            ("flags\t\t: avx2x fma", None),
            ("vmx flags\t: avx2 fma", None),
            ("Features\t: fp asimd", None), // Arm
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(core_type(text), expected, "{text}");
        }
    }

    #[test]
    fn the_users_setting_wins() {
        let haswell = Some("flags : avx2 fma");
        let with = |set: &'static str| openblas_environment(move |name| name == set, haswell);
        let (threads, core) = (("OPENBLAS_NUM_THREADS", "1"), ("OPENBLAS_CORETYPE", "Haswell"));
        assert_eq!(with(""), [threads, core]);
        assert_eq!(with("OPENBLAS_NUM_THREADS"), [core]);
        assert_eq!(with("OMP_NUM_THREADS"), [threads, core]);
        assert_eq!(with("OPENBLAS_CORETYPE"), [threads]);
        assert_eq!(openblas_environment(|_| false, None), [threads]);
    }
}
