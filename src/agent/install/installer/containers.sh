# --- containers ---

# Programs that build and run containers without root and without a service of their own.
container_programs='podman buildah skopeo crun pasta newuidmap catatonit'
container_packages='podman buildah skopeo crun passt uidmap catatonit'

# Checks what --with-containers needs, and installs its packages. Changes nothing else of the system.
prepare_containers() {
  if [ $wants_containers = no ]; then return; fi
  if ! has_container_programs; then install_container_packages; fi
  missing=$(missing_container_programs)
  if [ -n "$missing" ]; then
    fail 17 "containers need $missing. Install the packages $container_packages, and run the same line again. Nothing of Gantry was changed."
  fi
  has=$(podman --version | sed 's/^podman version //')
  if is_older "$has" "$oldest_podman"; then
    fail 17 "containers need podman $oldest_podman or newer, and this server has $has. Debian 13 and newer have it: Debian 12 cannot run containers for Gantry. Nothing of Gantry was changed."
  fi
  if [ "$(stat -f -c %T /sys/fs/cgroup)" != cgroup2fs ]; then
    fail 17 "containers need version 2 of control groups, which this server does not use. Start it with the kernel's option systemd.unified_cgroup_hierarchy=1. Nothing of Gantry was changed."
  fi
  if ! [ -e /proc/self/ns/user ] || [ "$(cat /proc/sys/user/max_user_namespaces 2>/dev/null || echo 1)" -eq 0 ]; then
    fail 17 "containers need user namespaces, which this server's kernel does not allow. Run: sysctl -w user.max_user_namespaces=65536. Nothing of Gantry was changed."
  fi
  if ! [ -e /dev/net/tun ]; then
    fail 17 "containers need /dev/net/tun for their network. Run: modprobe tun. Nothing of Gantry was changed."
  fi
}

has_container_programs() { [ -z "$(missing_container_programs)" ]; }

missing_container_programs() {
  missing=''
  for program_name in $container_programs; do
    if ! command -v "$program_name" >/dev/null && ! [ -x "/usr/libexec/podman/$program_name" ]; then missing="$missing $program_name"; fi
  done
  printf '%s' "${missing# }"
}

install_container_packages() {
  if ! command -v apt-get >/dev/null; then return; fi
  log "installing $container_packages with apt, about a minute"
  # The lists may be old. The installation says what is wrong.
  apt-get -qq update >/dev/null 2>&1 || true
  # shellcheck disable=SC2086 # the packages are words
  output=$(DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends $container_packages 2>&1 </dev/null) ||
    fail 17 "apt could not install $container_packages: $(printf '%s' "$output" | tail -n 3 | tr '\n' ' ')"
}

# The settings of podman, for every project.
write_containers_conf() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update.
[containers]
# The sandbox does not let a container change the kernel's settings, also not settings of its own network.
default_sysctls = []

[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
END
}

# The short names of Dockerfiles, such as node:24, are of Docker Hub, as everywhere.
write_registries_conf() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To use a mirror, add another file to this folder.
unqualified-search-registries = ["docker.io"]
short-name-mode = "disabled"
END
}

# What a unit may do that runs podman, besides other units. newuidmap gets its rights from its file, and the container is
# made with these system calls. In the container, podman forbids what is forbidden here to other units.
write_container_sandbox() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To change it, add another file to this folder.
[Service]
NoNewPrivileges=no
RestrictNamespaces=no
RestrictSUIDSGID=no
ProtectHostname=no
CapabilityBoundingSet=
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_DAC_OVERRIDE CAP_SYS_ADMIN CAP_SYS_PTRACE
SystemCallFilter=
SystemCallFilter=@system-service @mount pivot_root sethostname setns unshare keyctl add_key seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
BindPaths=-/dev/net/tun
DeviceAllow=/dev/net/tun rw
END
}

install_containers() {
  if [ $wants_containers = no ]; then return; fi
  mkdir -p /etc/containers/registries.conf.d
  write_registries_conf | place "$registries_conf" 644
  for kind in build job app; do
    mkdir -p "/etc/systemd/system/gantry-$kind-podman-.service.d"
    write_container_sandbox | place "/etc/systemd/system/gantry-$kind-podman-.service.d/20-containers.conf" 644
  done
  # Last: the helper runs containers when it is there.
  write_containers_conf | place "$containers_conf" 644
}

# The packages stay, because others may use them.
remove_containers() {
  rm -rf "$containers_conf" "$registries_conf" /run/gantry-containers /etc/systemd/system/gantry-build-podman-.service.d \
    /etc/systemd/system/gantry-job-podman-.service.d /etc/systemd/system/gantry-app-podman-.service.d
}
