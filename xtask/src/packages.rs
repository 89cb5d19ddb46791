//! Which package manager brings what is missing, and by which command lines.

/// What the build needs and this machine lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) compiler: bool,
    pub(crate) openblas: bool,
}

impl Missing {
    pub(crate) fn nothing(self) -> bool {
        self == Missing::default()
    }

    /// The missing things in words.
    pub(crate) fn words(self) -> &'static str {
        match (self.compiler, self.openblas) {
            (true, true) => "a C compiler and OpenBLAS",
            (true, false) => "a C compiler",
            (false, true) => "OpenBLAS",
            (false, false) => "nothing",
        }
    }
}

/// A package manager this program knows how to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    Apt,
    Dnf,
    Pacman,
    Brew,
}

/// By what right packages can be installed without asking anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privilege {
    Root,
    /// `sudo` works without a password.
    Sudo,
    None,
}

impl Manager {
    /// The system's own manager first; Homebrew on Linux only where it is alone.
    pub(crate) fn choose(exists: impl Fn(&str) -> bool) -> Option<Manager> {
        let all = [Manager::Apt, Manager::Dnf, Manager::Pacman, Manager::Brew];
        all.into_iter().find(|manager| exists(manager.program()))
    }

    fn program(self) -> &'static str {
        match self {
            Manager::Apt => "apt-get",
            Manager::Dnf => "dnf",
            Manager::Pacman => "pacman",
            Manager::Brew => "brew",
        }
    }

    /// Package names. pkg-config always comes along with OpenBLAS: the build
    /// asks it where the library is.
    fn packages(self, missing: Missing) -> Vec<&'static str> {
        let (compiler, openblas): (&[&str], &[&str]) = match self {
            Manager::Apt => (&["gcc", "libc6-dev"], &["libopenblas-dev", "pkg-config"]),
            Manager::Dnf => (&["gcc"], &["openblas-devel", "pkgconf"]),
            Manager::Pacman => (&["gcc"], &["openblas", "pkgconf"]),
            Manager::Brew => (&["gcc"], &["openblas", "pkgconf"]),
        };
        let mut names = Vec::new();
        if missing.compiler {
            names.extend(compiler);
        }
        if missing.openblas {
            names.extend(openblas);
        }
        names
    }

    /// True if this manager may be run now, without a question.
    pub(crate) fn may_install(self, privilege: Privilege) -> bool {
        match self {
            // Homebrew installs as the user and refuses to run as root.
            Manager::Brew => privilege != Privilege::Root,
            _ => privilege != Privilege::None,
        }
    }

    /// The command lines, first to last, each as program and arguments.
    pub(crate) fn commands(self, missing: Missing, privilege: Privilege) -> Vec<Vec<String>> {
        let install: &[&[&str]] = match self {
            Manager::Apt => {
                // A parallel apt (unattended upgrades) is waited for.
                const WAIT: &str = "DPkg::Lock::Timeout=120";
                const QUIET: &str = "DEBIAN_FRONTEND=noninteractive";
                &[
                    &["env", QUIET, "apt-get", "-o", WAIT, "update"],
                    &["env", QUIET, "apt-get", "-o", WAIT, "install", "-y"],
                ]
            }
            Manager::Dnf => &[&["dnf", "install", "-y"]],
            Manager::Pacman => &[&["pacman", "-S", "--needed", "--noconfirm"]],
            Manager::Brew => &[&["brew", "install"]],
        };
        let sudo = self != Manager::Brew && privilege == Privilege::Sudo;
        let mut lines: Vec<Vec<String>> = install
            .iter()
            .map(|words| {
                let prefix: &[&str] = if sudo { &["sudo", "-n"] } else { &[] };
                prefix.iter().chain(*words).map(ToString::to_string).collect()
            })
            .collect();
        if let Some(last) = lines.last_mut() {
            last.extend(self.packages(missing).iter().map(ToString::to_string));
        }
        lines
    }

    /// The one line a person types.
    pub(crate) fn line(self, missing: Missing, privilege: Privilege) -> String {
        let packages = self.packages(missing).join(" ");
        let sudo = if privilege == Privilege::Root { "" } else { "sudo " };
        match self {
            Manager::Apt => {
                format!("{sudo}apt-get update && {sudo}apt-get install -y {packages}")
            }
            Manager::Dnf => format!("{sudo}dnf install -y {packages}"),
            Manager::Pacman => format!("{sudo}pacman -S --needed {packages}"),
            Manager::Brew => format!("brew install {packages}"),
        }
    }
}

/// What to tell someone whose package manager is none of the above.
pub(crate) const BY_HAND: &str = "install a C compiler, pkg-config and OpenBLAS with its \
development files, so that `pkg-config --exists openblas` succeeds";

#[cfg(test)]
mod tests {
    use super::*;

    const BLAS: Missing = Missing { compiler: false, openblas: true };
    const BOTH: Missing = Missing { compiler: true, openblas: true };

    #[test]
    fn choice_prefers_the_systems_own() {
        let cases: [(&[&str], Option<Manager>); 6] = [
            (&["apt-get"], Some(Manager::Apt)),
            (&["brew", "apt-get"], Some(Manager::Apt)),
            (&["dnf", "brew"], Some(Manager::Dnf)),
            (&["pacman"], Some(Manager::Pacman)),
            (&["brew"], Some(Manager::Brew)),
            (&["zypper"], None),
        ];
        for (present, expected) in cases {
            assert_eq!(Manager::choose(|name| present.contains(&name)), expected, "{present:?}");
        }
    }

    #[test]
    fn privilege_decides() {
        for manager in [Manager::Apt, Manager::Dnf, Manager::Pacman] {
            assert!(manager.may_install(Privilege::Root));
            assert!(manager.may_install(Privilege::Sudo));
            assert!(!manager.may_install(Privilege::None));
        }
        assert!(!Manager::Brew.may_install(Privilege::Root));
        assert!(Manager::Brew.may_install(Privilege::None));
    }

    #[test]
    fn apt_updates_first_and_asks_nothing() {
        let lines = Manager::Apt.commands(BLAS, Privilege::Root);
        let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("update"), "{}", lines[0]);
        assert!(lines[1].ends_with("install -y libopenblas-dev pkg-config"), "{}", lines[1]);
        assert!(lines.iter().all(|l| l.starts_with("env DEBIAN_FRONTEND=noninteractive apt-get")));
    }

    #[test]
    fn sudo_goes_in_front_except_for_brew() {
        for manager in [Manager::Apt, Manager::Dnf, Manager::Pacman] {
            for words in manager.commands(BOTH, Privilege::Sudo) {
                assert_eq!(words[..2], ["sudo", "-n"], "{words:?}");
            }
        }
        let brew = Manager::Brew.commands(BLAS, Privilege::Sudo);
        assert_eq!(brew, [["brew", "install", "openblas", "pkgconf"]]);
    }

    #[test]
    fn only_what_is_missing_is_named() {
        let line = |manager: Manager, missing| manager.line(missing, Privilege::None);
        assert_eq!(line(Manager::Dnf, BLAS), "sudo dnf install -y openblas-devel pkgconf");
        assert_eq!(line(Manager::Dnf, BOTH), "sudo dnf install -y gcc openblas-devel pkgconf");
        let compiler = Missing { compiler: true, openblas: false };
        assert_eq!(line(Manager::Pacman, compiler), "sudo pacman -S --needed gcc");
        assert!(!Manager::Apt.line(BOTH, Privilege::Root).contains("sudo"));
        assert!(Missing::default().nothing());
        assert!(!BLAS.nothing());
    }
}
