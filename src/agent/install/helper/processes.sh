# The pids in a control group: with cgroup v2, and with v1.
pids_in() {
  for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    cat "$tree$1/cgroup.procs" 2>/dev/null || true
  done | sort -u
}

pids_of() {
  path=$(systemctl show --property=ControlGroup --value "$1")
  if [ -n "$path" ]; then pids_in "$path"; fi
}

# The units of a class whose names continue with a pattern, with and without a container.
units_like() {
  systemctl list-units --all --plain --no-legend --full "gantry-$1-$2" "gantry-$1-podman-$2" | cut -d ' ' -f 1
}

# The drop-ins that install.sh writes have its `left` run when the first process of a unit has ended.
forget() {
  systemctl stop "$1" >/dev/null 2>&1 || true
  rm -f "$state/$1.catching" "$state/$1.catching.new"
  systemctl reset-failed "$1" >/dev/null 2>&1 || true
}
