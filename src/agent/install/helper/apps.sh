# One request at a time changes the instances' units and files.
lock_apps() {
  exec 9>"$state/apps.lock"
  flock 9
}

# The files of other units that are gone are deleted too, because a helper or an app-life.sh that was killed may have left
# them, and drafts of them.
forget_app() {
  forget "$1"
  set +f
  rm -f "$apps/$1".*
  for file in "$apps"/*.service.*; do
    name=${file##*/}
    [ -e "/run/systemd/transient/${name%%.service.*}.service" ] || rm -f "$file"
  done
  set -f
}

# Starts an instance of an app, which systemd starts again whenever it ends. systemd reads the job at each start.
start_app() {
  class=app unit=gantry-app-$prefix$project-$instance.service signal=$stop_signal seconds=$stop_seconds
  read_job
  own_once
  make_logs
  if [ -n "$engine" ]; then make_containers; fi
  # Zero seconds would be no limit for systemd.
  if [ "$seconds" -eq 0 ]; then signal=SIGKILL seconds=5; fi
  lock_apps
  case $(systemctl show --property=ActiveState --value "$unit") in
    active | activating | reloading)
      rm -f "$apps/$unit.stop"
      answer ok
      ;;
    deactivating)
      if [ -e "$apps/$unit.stop" ]; then answer "failed: the instance $instance is still ending"; fi
      # It has just ended by itself, and systemd starts it again.
      answer ok
      ;;
  esac
  forget_app "$unit"
  mkdir -m 700 "$apps" 2>/dev/null || true
  mv "$work/job" "$apps/$unit.job"
  printf '%s %s\n' "$signal" "$seconds" >"$apps/$unit.grace"
  folder=$home/projects/$project
  places="-$folder/shared $folder/home $folder/logs"
  # podman ends when the container runs, and leaves the process that waits for its end.
  type='exec'
  if [ -n "$engine" ]; then
    type=forking
    set -- --property=PIDFile="$containers/$unit/monitor.pid"
  else
    set --
  fi
  if start_unit --description="Gantry app of $project" --property=Type=$type "$@" \
    --property=LoadCredential="job:$apps/$unit.job" \
    --property=KillSignal="$signal" --property=TimeoutStopSec="$((seconds + 1))" /bin/sh "/run/credentials/$unit/job"; then
    answer ok
  fi
  # Its program runs in no sandbox, so systemd would only try again.
  status=$(systemctl show --property=ExecMainStatus --value "$unit")
  forget_app "$unit"
  answer "failed: status $status: $(head -c 500 "$work/message" | tr '\n' ' ')"
}

# The unit of an instance that was started.
find_instance() {
  unit=gantry-app-$project-$instance.service
  contained=gantry-app-podman-$project-$instance.service
  if [ -e "/run/systemd/transient/$contained" ] || [ -e "$apps/$contained.job" ]; then unit=$contained; fi
}

stop_app() {
  find_instance
  mkdir -m 700 "$apps" 2>/dev/null || true
  : >"$apps/$unit.stop"
  # As long as the instance may take to end.
  systemctl stop "$unit" >"$work/message" 2>&1 || true
  lock_apps
  case $(systemctl show --property=ActiveState --value "$unit") in
    inactive | failed) forget_app "$unit" && answer ok ;;
  esac
  answer "failed: the instance $instance does not end: $(head -c 300 "$work/message" | tr '\n' ' ')"
}

# Answers with a word for each instance: project/name/state/start in ms/restarts/code/signal/out of memory/bytes/CPU in ms,
# with - for what is not known. The agent asks every few seconds, so it starts few programs, however many instances
# there are: systemd is not asked, because the file of a unit is there as long as the unit.
list_apps() {
  cd /run/systemd/transient 2>/dev/null || answer apps
  set +f
  printf '%s\n' "gantry-app-${project:-proj_}"*.service "gantry-app-podman-${project:-proj_}"*.service | awk -v apps="$apps" '
    function first_line(file,  line) {
      line = ""
      if ((getline line < file) <= 0) line = ""
      close(file)
      return line
    }
    function exists(file,  line, found) {
      found = (getline line < file) >= 0
      close(file)
      return found
    }
    function value_of(name, file,  line, parts, found) {
      found = 0
      while (!found && (getline line < file) > 0)
        if (split(line, parts, " ") && parts[1] == name) found = parts[2]
      close(file)
      return found
    }
    # Of all processes, where the control group does not say it, as in some containers.
    function add_processes(group,  i, pid, line, parts, seen) {
      memory = cpu = 0
      for (i = 1; i <= 3; i++) {
        while ((getline pid < (trees[i] group "/cgroup.procs")) > 0) {
          if (pid in seen) continue
          seen[pid] = 1
          line = first_line("/proc/" pid "/stat")
          sub(/^.*\) /, "", line)
          split(line, parts, " ")
          cpu += (parts[12] + parts[13] + parts[14] + parts[15]) * 10
          memory += value_of("VmRSS:", "/proc/" pid "/status") * 1024
        }
        close(trees[i] group "/cgroup.procs")
      }
    }
    function read_usage(group, cpu_before,  place, current, used) {
      place = trees[1] group
      current = first_line(place "/memory.current")
      used = value_of("usage_usec", place "/cpu.stat")
      if (current == "" || used == 0) add_processes(group)
      # Without files that the kernel keeps only as long as nobody needs the memory.
      if (current != "") memory = current - value_of("inactive_file", place "/memory.stat")
      if (used != 0) cpu = (used - cpu_before) / 1000
    }
    BEGIN {
      trees[1] = "/sys/fs/cgroup"
      trees[2] = "/sys/fs/cgroup/unified"
      trees[3] = "/sys/fs/cgroup/systemd"
      printf "apps"
    }
    # No unit at all, and a unit that is being removed.
    !exists(apps "/" $0 ".job") { next }
    {
      life = first_line(apps "/" $0 ".life")
      end = first_line(apps "/" $0 ".end")
      state = "restarting"
      start = code = signal = oom = memory = cpu = "-"
      restarts = 0
      if (end != "") {
        split(end, parts, " ")
        restarts = parts[2]
        if (parts[3] == "exited") code = parts[4]
        else signal = parts[4]
        oom = parts[5]
      }
      if (life != "") {
        split(life, parts, " ")
        restarts = parts[5]
        state = "running"
        start = parts[1]
        read_usage(parts[7], parts[6])
        # The kernel counts both at different times.
        if (memory < 0) memory = 0
        if (cpu < 0) cpu = 0
        memory = sprintf("%.0f", memory)
        cpu = sprintf("%.0f", cpu)
      }
      if (exists(apps "/" $0 ".stop")) state = "stopping"
      name = $0
      sub(/^gantry-app-(podman-)?/, "", name)
      printf " %s/%s/%s/%s", substr(name, 1, 31), substr(name, 33, length(name) - 40), state, start
      printf "/%s/%s/%s/%s/%s/%s", restarts, code, signal, oom, memory, cpu
    }
    END { printf "\n" }'
}

# Whether a process of the instance itself listens on the port, so that no other program passes for it. With `inside`, also
# whether the app listens on this port in the network of its container: there, the engine has taken the first one.
listens() {
  find_instance
  [ -e "/run/systemd/transient/$unit" ] || answer "failed: there is no instance $instance"
  sockets=$(awk -v port="$(printf %04X "$port")" '$4 == "0A" && substr($2, length($2) - 3) == port { print $10 }' \
    /proc/net/tcp /proc/net/tcp6 2>/dev/null || true)
  if [ -z "$sockets" ] || ! [ -e "$apps/$unit.life" ]; then answer "listens no"; fi
  read -r _ _ _ _ _ _ cgroup <"$apps/$unit.life"
  if [ -n "$inside" ]; then
    case " $(ports_inside "$cgroup") " in *" $inside "*) ;; *) answer "listens no" ;; esac
  fi
  set --
  for pid in $(pids_in "$cgroup"); do set -- "$@" "/proc/$pid/fd"; done
  if [ $# -gt 0 ]; then
    for socket in $sockets; do
      if [ -n "$(find "$@" -maxdepth 1 -lname "socket:\[$socket\]" -print -quit 2>/dev/null)" ]; then answer "listens yes"; fi
    done
  fi
  answer "listens no"
}

# The ports on which the app of an instance listens in the network of its container, with the address if nothing outside of the
# container can reach them.
list_ports() {
  find_instance
  if ! [ -e "$apps/$unit.life" ]; then answer ports; fi
  read -r _ _ _ _ _ _ cgroup <"$apps/$unit.life"
  # shellcheck disable=SC2046 # each is a word
  answer ports $(ports_inside "$cgroup")
}

# In a network of its own, nothing but the container can listen.
ports_inside() {
  own=$(readlink /proc/self/ns/net)
  pids=$(pids_in "$1")
  set --
  for pid in $pids; do set -- "$@" "/proc/$pid/ns/net"; done
  if [ $# -eq 0 ]; then return; fi
  # One program for all processes, because an app may have many. Each network is read once.
  find "$@" -maxdepth 0 -printf '%l %h\n' 2>/dev/null | sort -u -k 1,1 | while read -r network folder; do
    if [ "$network" != "$own" ]; then cat "$folder/../net/tcp" "$folder/../net/tcp6" 2>/dev/null || true; fi
  done | awk '$4 == "0A" { sub(/:/, " ", $2); print $2 }' | sort -u | head -n 20 | while read -r address port_hex; do
    case $address in
      0100007F | 00000000000000000000000001000000) printf '127.0.0.1:%d ' "0x$port_hex" ;;
      *) printf '%d ' "0x$port_hex" ;;
    esac
  done
}
