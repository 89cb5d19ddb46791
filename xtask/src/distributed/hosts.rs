//! Two hosts on one machine: network namespaces joined by a virtual cable, which can be cut.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::job::{ENVIRONMENT, Job, QUIET};
use super::waiting;
use crate::process::{succeeds, target};

const HOSTS: [&str; 2] = ["gfA", "gfB"];
const NAMES: &str = "127.0.0.1 localhost\n10.77.0.1 gfA\n10.77.0.2 gfB\n";

/// The hosts as long as they are needed.
struct Hosts {
    /// What stands in for ssh.
    agent: PathBuf,
}

impl Hosts {
    /// None where namespaces may not be made: not root, or a container without the right.
    fn new() -> anyhow::Result<Option<Self>> {
        let ip = |words: &str| succeeds("ip", &words.split(' ').collect::<Vec<_>>());
        Self::remove();
        if !HOSTS.iter().all(|host| ip(&format!("netns add {host}"))) {
            Self::remove();
            return Ok(None);
        }
        for host in HOSTS {
            std::fs::create_dir_all(format!("/etc/netns/{host}"))?;
            std::fs::write(format!("/etc/netns/{host}/hosts"), NAMES)?;
        }
        let made = [
            "link add vA netns gfA type veth peer name vB netns gfB",
            "-n gfA link set lo up",
            "-n gfB link set lo up",
            "-n gfA addr add 10.77.0.1/24 dev vA",
            "-n gfB addr add 10.77.0.2/24 dev vB",
            "-n gfA link set vA up",
            "-n gfB link set vB up",
        ];
        if !made.into_iter().all(ip) {
            Self::remove();
            return Ok(None);
        }
        let agent = target().join("xtask/agent.sh");
        std::fs::create_dir_all(target().join("xtask"))?;
        let script = "#!/bin/sh\nhost=$1; shift\n\
                      exec ip netns exec $host unshare -u sh -c \"hostname $host; exec sh -c '$*'\"\n";
        std::fs::write(&agent, script)?;
        std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755))?;
        Ok(Some(Self { agent }))
    }

    fn remove() {
        for host in HOSTS {
            succeeds("ip", &["netns", "del", host]);
            // Left behind only if it cannot be removed; the next run makes it anew.
            let _ = std::fs::remove_dir_all(format!("/etc/netns/{host}"));
        }
    }

    /// Two ranks on each host, over TCP.
    fn mpirun(&self, words: &[&str]) -> Process {
        let mut process = Process::new("ip");
        process.args(["netns", "exec", HOSTS[0], "unshare", "-u", "sh", "-c"]);
        let quiet = QUIET.join(" ");
        process.arg(format!(
            "hostname gfA; exec mpirun --host gfA:2,gfB:2 -n 4 --oversubscribe {quiet} --mca plm_rsh_agent {} \
             --mca btl self,vader,tcp --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include \
             10.77.0.0/24 -x RAYON_NUM_THREADS {}",
            self.agent.display(),
            words.join(" ")
        ));
        process.envs(ENVIRONMENT);
        process
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        Self::remove();
    }
}

/// The answers over a network, and the end of a job whose network is cut.
pub(super) fn test(ranks: &Path) -> anyhow::Result<()> {
    let Some(hosts) = Hosts::new()? else {
        println!("two hosts: left out, as network namespaces may not be made here");
        return Ok(());
    };
    let ranks = ranks.display().to_string();
    Job::new(&mut hosts.mpirun(&[&ranks, "check"]))?.succeeds(Duration::from_secs(120))?;
    let mut job = Job::new(hosts.mpirun(&[&ranks, "wait"]).stdout(Stdio::piped()))?;
    waiting(&mut job)?;
    ensure!(succeeds("ip", &["-n", "gfA", "link", "set", "vA", "down"]), "the cable cannot be cut");
    let begun = Instant::now();
    let code = job.fails(Duration::from_secs(60))?;
    println!(
        "a cut cable ended the job after {:.1} s, status {code}",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}
