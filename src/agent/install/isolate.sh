#!/bin/sh
# Runs the commands and apps of projects, each as its project's own user in a sandbox of systemd. Written by install.sh.
# gantry-isolate.socket starts it as root for each connection of the agent, which has no other way to do this. Nothing
# that the agent sends is trusted: a request is one line that matches a pattern below as a whole, and the answer is one line.
set -euf
umask 077
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

home=%HOME%
agent=%USER%
app_life=%APP_LIFE%
# The agent is a member, and no project user is: it may change the folders that a build made.
group=gantry-isolate
state=/run/gantry-isolate
# For each instance of an app: its job, for root alone because it contains secrets, and what app-life.sh records.
apps=$state/apps
longest_job=1000000

answer() {
  printf '%s\n' "$*"
  exit 0
}

# Reads a line byte by byte, because what follows it belongs to another reader.
# shellcheck disable=SC2016
read_line() { timeout 10 sh -c 'IFS= read -r line; printf "%s" "$line"' || true; }

id='proj_[0-7][0-9a-hjkmnp-tv-z]{25}'
version='[1-9][0-9]{0,14}'
limits='(infinity|[1-9][0-9]{0,7}) [1-9][0-9]{0,4} [1-9][0-9]{0,6}'
marker='[a-z][a-z0-9_-]{0,99}'
requests="show|own $id $version|run (build|cache|command|job) $id $version [1-9][0-9]{0,5} $marker $limits [1-9][0-9]{0,6}"
instance='[a-z][a-z0-9_-]{0,29}-[1-9][0-9]{0,14}-[0-9]{1,2}'
requests="$requests|app start $id $version $instance $limits SIG(TERM|INT|QUIT|HUP|USR1|USR2) [0-9]{1,3} [1-9][0-9]{0,6}"
requests="$requests|app stop $id $instance|app list( $id)?|app listens $id $instance [1-9][0-9]{0,4}"
requests="$requests|read $id [1-9][0-9]{0,3}|stop $id|running $id|end $id (all|release $version|run $marker|jobs|job $marker)|discard $id|remove $id"

# Makes a folder of the project the working folder. From there on it cannot be replaced with a link to another one.
enter() {
  real_home=$(cd -P "$home" && pwd -P)
  cd -P "$home/projects/$project/$1" 2>/dev/null || answer "refused: the project has no folder $1"
  [ "$(pwd -P)" = "$real_home/projects/$project${1:+/$1}" ] || answer "refused: a link leads out of the project"
}

# The project's own processes may signal this one, which is outside of the sandbox, so its time is limited. They cannot
# look into it or change it, because it has a capability that they lack.
as_project() {
  timeout --kill-after=1 300 setpriv --reuid="$project" --regid="$project" --groups="$group" \
    --inh-caps=+audit_write --ambient-caps=+audit_write -- "$@" 2>/dev/null || true
}

make_user() {
  if getent passwd "$project" >/dev/null; then return; fi
  # Not from the range of the system's users, which has fewer numbers than an account can have projects. Another request
  # for the project may be first.
  flock "$state/users.lock" useradd --system --user-group --home-dir "$home/projects/$project/home" --no-create-home \
    --key SYS_UID_MIN=40000 --key SYS_UID_MAX=59999 --key SYS_GID_MIN=40000 --key SYS_GID_MAX=59999 \
    --shell /usr/sbin/nologin --comment "Gantry project" "$project" >"$work/message" 2>&1 ||
    getent passwd "$project" >/dev/null ||
    answer "failed: the user $project cannot be created: $(head -c 300 "$work/message" | tr '\n' ' ')"
}

make_home() {
  enter ''
  mkdir home private-tmp 2>/dev/null || true
  enter home
  chown "$project:$group" .
  chmod 750 .
  # The commands' /tmp. It is not in a folder of the project's user, who could replace it with a link, and systemd would
  # mount what that leads to. What nobody has used for ten days is deleted, as in the system's.
  enter private-tmp
  chown "$project:$group" .
  chmod 700 .
  as_project find . -xdev -mindepth 1 -depth -mtime +10 -atime +10 -delete
}

# The copies of installed dependencies. The agent may rename its folders, and no command of the project sees it.
make_cache() {
  enter ''
  mkdir cache 2>/dev/null || true
  enter cache
  chown "$project:$group" .
  chmod 770 .
}

# What the instances of apps print. The agent may read, shorten and delete the files.
make_logs() {
  enter ''
  mkdir logs 2>/dev/null || true
  enter logs
  chown -R -h -P --from="$agent" "$project:$group" .
  chown "$project:$group" .
  # Files get the folder's group.
  chmod 2770 .
}

# Gives a release and the shared files to the project's user, whatever their modes: the agent may read and replace them.
# Only the agent's own files change their owner. Modes are changed as the project's user, who can change no others.
own() {
  make_user
  make_home
  enter "releases/$1"
  own_release
  own_shared
}

own_release() {
  chown -R -h -P --from="$agent" "$project:$group" .
  chmod u+rwx .
  as_project chmod -R u+rwX,g+rwX,ug-s .
  as_project chgrp -R -h -P "$group" .
}

own_shared() {
  if [ -d "$home/projects/$project/shared" ]; then
    enter shared
    # Files keep their group, because a web server may read them by it.
    chown -R -h -P --from="$agent" "$project" .
    as_project find . -xdev -type d ! -perm -0070 -exec chgrp "$group" {} + -exec chmod u+rwx,g+rwx {} +
  fi
}

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

units_like() { systemctl list-units --all --plain --no-legend --full "$1" | cut -d ' ' -f 1; }

# The drop-ins that install.sh writes have its `left` run when the first process of a unit has ended.
forget() {
  systemctl stop "$1" >/dev/null 2>&1 || true
  rm -f "$state/$1.catching" "$state/$1.catching.new"
  systemctl reset-failed "$1" >/dev/null 2>&1 || true
}

# Opens what the unit writes to, as the descriptors 3 and 4. The unit opens both again by descriptor, because the agent
# could replace a path with a link. A build writes to pipes, so that it waits while the agent has no room.
open_pipes() {
  mkfifo -m 640 "$work/stdout" "$work/stderr"
  chown "$project:$group" "$work/stdout" "$work/stderr"
  chgrp "$group" "$work"
  chmod 710 "$work"
  exec 3<>"$work/stdout" 4<>"$work/stderr"
  mode=file folder=$work
}

# As own, for a release that may be large and has an owner already.
own_once() {
  make_user
  make_home
  enter "releases/$1"
  # A release whose folder is the project's was given to it as a whole, because its folder is the last to change.
  if [ "$(stat -c %U .)" != "$project" ]; then own_release; fi
  own_shared
}

# A command writes to files, because its app continues without the agent.
open_files() {
  enter output
  for stream in stdout stderr; do
    if [ -e "$1.$stream" ]; then answer "failed: the output file $1.$stream exists already"; fi
  done
  set -C
  exec 3>"$1.stdout" 4>"$1.stderr"
  set +C
  # The agent could put a link to a device there after the look above. The shell would open that too, and root give it away.
  if ! [ -f /proc/self/fd/3 ] || ! [ -f /proc/self/fd/4 ]; then answer "refused: the output of $1 is not a file"; fi
  chown "$project:$group" /proc/self/fd/3 /proc/self/fd/4
  chmod 660 /proc/self/fd/3 /proc/self/fd/4
  mode=append folder=$home/projects/$project/output
}

# Reads the script of a command, which follows the request.
read_job() {
  [ "$1" -le "$longest_job" ] || answer "refused: the command and its variables are larger than $longest_job bytes"
  timeout 30 head -c "$1" >"$work/job" || true
  [ "$(wc -c <"$work/job")" -eq "$1" ] || answer "refused: the job is incomplete"
}

# Starts a unit that may write to its release and these places, and waits as long as its type says. The other arguments
# are for systemd-run.
start_unit() {
  class=$1 unit=$2 release=$3 places=$4 memory=$5 cpu=$6 tasks=$7
  shift 7
  folder=$home/projects/$project
  case $memory in infinity) ;; *) memory=${memory}M ;; esac
  systemd-run --quiet --unit="$unit" --slice="gantry-$class.slice" --property=User="$project" --property=Group="$project" \
    --property=TemporaryFileSystem="$home:mode=0755,nr_inodes=1k,size=1M" \
    --property=BindReadOnlyPaths="$folder/releases -$home/tools" --property=BindPaths="$folder/releases/$release $places" \
    --property=BindPaths="$folder/private-tmp:/tmp $folder/private-tmp:/var/tmp" \
    --property=MemoryMax="$memory" --property=MemorySwapMax="$memory" --property=CPUWeight="$cpu" --property=TasksMax="$tasks" \
    "$@" >"$work/message" 2>&1
}

run() {
  kind=$1 number=$3 memory=$5 cpu=$6 tasks=$7
  # A copy to or from the cache is a unit of the build, with its limits and its end.
  class=$kind
  if [ "$kind" = cache ]; then class=build; fi
  unit=gantry-$class-$project-$2-$number-$4.service
  read_job "$8"
  if [ "$class" = job ]; then own_once "$2"; else own "$2"; fi
  forget "$unit"
  if [ "$class" = command ]; then open_files "$2-$number"; else open_pipes; fi
  places="-$home/projects/$project/shared $home/projects/$project/home"
  if [ "$kind" = cache ]; then
    make_cache
    places=$home/projects/$project/cache
  fi
  exec 5<"$work/job"
  rm -f "$work/job"
  printf 'output %s\n' "$folder"
  [ "$(read_line)" = go ] || answer "refused: the agent has ended"
  start_unit "$class" "$unit" "$2" "$places" "$memory" "$cpu" "$tasks" --description="Gantry $kind of $project" \
    --property=Type=oneshot --property=RemainAfterExit=yes \
    --property=StandardInput="file:/proc/$$/fd/5" --property=StandardOutput="$mode:/proc/$$/fd/3" \
    --property=StandardError="$mode:/proc/$$/fd/4" /bin/sh -s || true
  result=$(systemctl show --property=Result --value "$unit")
  code=$(systemctl show --property=ExecMainCode --value "$unit")
  status=$(systemctl show --property=ExecMainStatus --value "$unit")
  if [ "$code" = 0 ]; then
    forget "$unit"
    answer "failed: $(head -c 500 "$work/message" | tr '\n' ' ')"
  fi
  left=no
  if [ "$class" = build ]; then
    forget "$unit"
    own "$2"
  fi
  if [ "$kind" = command ] && [ -n "$(pids_of "$unit")" ]; then left=yes; else forget "$unit"; fi
  exec 3>&- 4>&-
  answer "end $result $code $status $left"
}

# Sends a repository on this server to the agent's git, over the connection of the request. It runs as the project's user
# and sees none of the agent's files, so it sends only what the project may read anyway, whatever links, alternates and
# settings the repository has. Its own settings run nothing, because the protocol of a remote that they name is not
# allowed. git can hang, for example where a file of the repository is a pipe, so the unit ends with its reader.
read_repository() {
  path=$(timeout 10 head -c "$1" || true)
  [ "$(printf %s "$path" | wc -c)" -eq "$1" ] || answer "refused: the path is incomplete"
  case $path in /*) ;; *) answer "refused: the path is not absolute" ;; esac
  make_user
  open_pipes
  # The reader of the repository holds this pipe open. Its connection does not show when it has ended, because git closes
  # one side of it early.
  mkfifo -m 660 "$work/reader"
  chgrp "$group" "$work/reader"
  exec 5<>"$work/reader"
  printf 'output %s\n' "$folder"
  [ "$(read_line)" = go ] || answer "refused: the agent has ended"
  exec 6<"$work/reader" 5>&-
  unit=gantry-read-$project-$$.service
  # Until the service of this request ends with all its processes, because the unit may not have started yet.
  { cat && while sleep 1; do systemctl stop "$unit" || true; done; } <&6 6<&- >/dev/null 2>&1 3>&- 4>&- &
  exec 6<&-
  # git gets the path from a variable, because systemd would expand it in an argument.
  # shellcheck disable=SC2016
  systemd-run --quiet --pipe --wait --collect --unit="$unit" --slice=gantry-build.slice \
    --description="Gantry read of $project" \
    --property=User="$project" --property=Group="$project" --property=CPUWeight=50 --property=TasksMax=256 \
    --property=TemporaryFileSystem="$home:mode=0755,nr_inodes=1k,size=1M /tmp /var/tmp" --property=RuntimeMaxSec=86400 \
    --setenv=GANTRY_REPOSITORY="$path" --setenv=GIT_PROTOCOL=version=2 --setenv=LC_ALL=C \
    --setenv=GIT_ALLOW_PROTOCOL=none --setenv=GIT_NO_LAZY_FETCH=1 --setenv=GIT_CONFIG_NOSYSTEM=1 \
    /bin/sh -c 'exec git -c safe.directory="*" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c uploadpack.allowFilter=true upload-pack "$GANTRY_REPOSITORY"' \
    2>&4 || true
}

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
  unit=gantry-app-$project-$2.service signal=$6 seconds=$7
  read_job "$8"
  own_once "$1"
  make_logs
  # Zero seconds would be no limit for systemd.
  if [ "$seconds" -eq 0 ]; then signal=SIGKILL seconds=5; fi
  lock_apps
  case $(systemctl show --property=ActiveState --value "$unit") in
    active | activating | reloading)
      rm -f "$apps/$unit.stop"
      answer ok
      ;;
    deactivating)
      if [ -e "$apps/$unit.stop" ]; then answer "failed: the instance $2 is still ending"; fi
      # It has just ended by itself, and systemd starts it again.
      answer ok
      ;;
  esac
  forget_app "$unit"
  mkdir -m 700 "$apps" 2>/dev/null || true
  mv "$work/job" "$apps/$unit.job"
  printf '%s %s\n' "$signal" "$seconds" >"$apps/$unit.grace"
  folder=$home/projects/$project
  if start_unit app "$unit" "$1" "-$folder/shared $folder/home $folder/logs" "$3" "$4" "$5" \
    --description="Gantry app of $project" --property=Type=exec --property=LoadCredential="job:$apps/$unit.job" \
    --property=KillSignal="$signal" --property=TimeoutStopSec="$((seconds + 1))" /bin/sh "/run/credentials/$unit/job"; then
    answer ok
  fi
  # Its program runs in no sandbox, so systemd would only try again.
  status=$(systemctl show --property=ExecMainStatus --value "$unit")
  forget_app "$unit"
  answer "failed: status $status: $(head -c 500 "$work/message" | tr '\n' ' ')"
}

stop_app() {
  unit=gantry-app-$project-$1.service
  mkdir -m 700 "$apps" 2>/dev/null || true
  : >"$apps/$unit.stop"
  # As long as the instance may take to end.
  systemctl stop "$unit" >"$work/message" 2>&1 || true
  lock_apps
  case $(systemctl show --property=ActiveState --value "$unit") in
    inactive | failed) forget_app "$unit" && answer ok ;;
  esac
  answer "failed: the instance $1 does not end: $(head -c 300 "$work/message" | tr '\n' ' ')"
}

# Answers with a word for each instance: project/name/state/start in ms/restarts/code/signal/out of memory/bytes/CPU in ms,
# with - for what is not known. The agent asks every few seconds, so it starts few programs, however many instances
# there are: systemd is not asked, because the file of a unit is there as long as the unit.
list_apps() {
  cd /run/systemd/transient 2>/dev/null || answer apps
  set +f
  printf '%s\n' "gantry-app-${project:-proj_}"*.service | awk -v apps="$apps" '
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
    # No unit at all, and one that is being forgotten.
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
      printf " %s/%s/%s/%s", substr($0, 12, 31), substr($0, 44, length($0) - 51), state, start
      printf "/%s/%s/%s/%s/%s/%s", restarts, code, signal, oom, memory, cpu
    }
    END { printf "\n" }'
}

# Whether a process of the instance itself listens on the port, so that no other program passes for it.
listens() {
  unit=gantry-app-$project-$1.service
  [ -e "/run/systemd/transient/$unit" ] || answer "failed: there is no instance $1"
  sockets=$(awk -v port="$(printf %04X "$2")" '$4 == "0A" && substr($2, length($2) - 3) == port { print $10 }' \
    /proc/net/tcp /proc/net/tcp6 2>/dev/null || true)
  if [ -z "$sockets" ] || ! [ -e "$apps/$unit.life" ]; then answer "listens no"; fi
  read -r _ _ _ _ _ _ cgroup <"$apps/$unit.life"
  set --
  for pid in $(pids_in "$cgroup"); do set -- "$@" "/proc/$pid/fd"; done
  if [ $# -gt 0 ]; then
    for socket in $sockets; do
      if [ -n "$(find "$@" -maxdepth 1 -lname "socket:\[$socket\]" -print -quit 2>/dev/null)" ]; then answer "listens yes"; fi
    done
  fi
  answer "listens no"
}

# Asks the processes of a unit to end, as its stop does later, while systemd does nothing yet.
prepare_end() {
  group=$(systemctl show --property=ControlGroup --value "$1")
  if [ -z "$group" ]; then return; fi
  case $(systemctl show --property=ActiveState --value "$1") in
    # The first process has ended. What it left can have been there for days, without the pipes of the unit.
    active) "$app_life" leave "$1" "$group" || true ;;
    *) "$app_life" watch "$1" "$group" || true ;;
  esac
}

# Ends units and answers with the names of the processes that were in them.
end_units() {
  ended=''
  for unit in $(units_like "$1"); do
    for pid in $(pids_of "$unit"); do
      ended="$ended $(tr -cd '[:alnum:]._-' <"/proc/$pid/comm" 2>/dev/null || true)/$pid"
    done
    prepare_end "$unit" &
  done
  wait
  for unit in $(units_like "$1"); do forget "$unit"; done
  answer "ended$ended"
}

# The releases and the numbers of the commands that left processes running.
list_running() {
  found=''
  for unit in $(units_like "gantry-command-$project-*"); do
    rest=${unit#"gantry-command-$project-"}
    if [ -n "$(pids_of "$unit")" ]; then
      found="$found ${rest%%-*}-$(printf %s "${rest#*-}" | cut -d - -f 1)"
    fi
  done
  answer "running$found"
}

# Deletes what the agent has put aside, and cannot delete if a build created folders for itself alone.
discard() {
  enter ''
  set +f
  rm -rf --one-file-system -- ./*.bin ./tmp
  if [ -d cache ]; then
    enter cache
    rm -rf --one-file-system -- ./*.part
  fi
  if [ -d "$home/projects/$project/logs" ]; then
    enter logs
    find . -mindepth 1 -maxdepth 1 ! -type f -exec rm -rf --one-file-system -- {} +
  fi
  answer ok
}

remove() {
  # All at once. Who removes a project does not wait for its requests.
  timeout 10 systemctl stop "gantry-*-$project-*" >/dev/null 2>&1 ||
    systemctl kill --signal=KILL "gantry-*-$project-*" >/dev/null 2>&1 || true
  for unit in $(units_like "gantry-*-$project-*"); do forget "$unit"; done
  if [ -d "$apps" ]; then find "$apps" -name "gantry-app-$project-*" -delete; fi
  if [ -d "$home/projects/$project" ]; then
    enter ''
    cd ..
    rm -rf --one-file-system -- "./$project"
  fi
  if getent passwd "$project" >/dev/null; then
    # Not while it runs something that the helper did not start, such as a service of the administrator.
    flock "$state/users.lock" userdel "$project" >"$work/message" 2>&1 ||
      answer "failed: the user $project cannot be deleted: $(head -c 300 "$work/message" | tr '\n' ' ')"
  fi
  answer ok
}

line=$(read_line)
printf '%s' "$line" | grep -qxE "$requests" || answer "refused: not a request"
# The pattern allows no characters that the shell would expand.
# shellcheck disable=SC2086
set -- $line
verb=$1
project=${2:-}
case $verb in run | app) project=${3:-} ;; esac
case "$verb $project" in
  show*) answer "gantry-isolate 2" ;;
esac
# What is only asked, and often, needs no folder.
case "$verb ${2:-}" in
  'app list') list_apps && exit ;;
  'app listens') listens "$4" "$5" ;;
esac
[ -d "$state" ] || mkdir -m 755 "$state" 2>/dev/null || true
work=$(mktemp -d "$state/request.XXXXXXXX")
trap 'rm -rf "$work"' EXIT
case $verb in
  own) own "$3" && answer ok ;;
  run) run "$2" "$4" "$5" "$6" "$7" "$8" "$9" "${10}" ;;
  app)
    case $2 in
      start) start_app "$4" "$5" "$6" "$7" "$8" "$9" "${10}" "${11}" ;;
      stop) stop_app "$4" ;;
    esac
    ;;
  read) read_repository "$3" ;;
  stop) end_units "gantry-build-$project-*" ;;
  running) list_running ;;
  end)
    case $3 in
      all) end_units "gantry-command-$project-*" ;;
      release) end_units "gantry-command-$project-$4-*" ;;
      run) end_units "gantry-command-$project-*-$4.service" ;;
      jobs) end_units "gantry-job-$project-*" ;;
      job) end_units "gantry-job-$project-*-$4.service" ;;
    esac
    ;;
  discard) discard ;;
  remove) remove ;;
esac
