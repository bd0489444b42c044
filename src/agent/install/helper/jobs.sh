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
  enter "releases/$version"
  # A release whose folder is the project's was given to it as a whole, because its folder is the last to change.
  if [ "$(stat -c %U .)" != "$project" ]; then own_release; fi
  own_shared
}

# A command writes to files, because its app continues without the agent.
open_files() {
  enter output
  file=$version-$number
  for stream in stdout stderr; do
    if [ -e "$file.$stream" ]; then answer "failed: the output file $file.$stream exists already"; fi
  done
  set -C
  exec 3>"$file.stdout" 4>"$file.stderr"
  set +C
  # The agent could put a link to a device there after the look above. The shell would open that too, and root give it away.
  if ! [ -f /proc/self/fd/3 ] || ! [ -f /proc/self/fd/4 ]; then answer "refused: the output of $file is not a file"; fi
  chown "$project:$group" /proc/self/fd/3 /proc/self/fd/4
  chmod 660 /proc/self/fd/3 /proc/self/fd/4
  mode=append folder=$home/projects/$project/output
}

# Reads the script of a command, which follows the request.
read_job() {
  [ "$job_bytes" -le "$longest_job" ] || answer "refused: the command and its variables are larger than $longest_job bytes"
  timeout 30 head -c "$job_bytes" >"$work/job" || true
  [ "$(wc -c <"$work/job")" -eq "$job_bytes" ] || answer "refused: the job is incomplete"
}

# Starts the unit, which may write to its release and to `places`, and waits as long as its type says. The arguments are
# for systemd-run.
start_unit() {
  folder=$home/projects/$project
  if [ -n "$engine" ]; then
    run=$containers/$unit uid=$(id -u "$project")
    # AppArmor lets the programs of a container's network write only to the folder that a user has while signed in. It has
    # the container's /etc/hosts, so it is limited: root in the container could fill the memory of /run with it. systemd
    # itself sees only the other folder.
    set -- --property=RuntimeDirectory="${run#/run/}" --property=RuntimeDirectoryMode=0700 \
      --property=TemporaryFileSystem="/run/user/$uid:mode=0700,uid=$uid,gid=$uid,size=64M,nr_inodes=16k" \
      --setenv=CONTAINERS_CONF="$containers_conf" "$@"
    places="$places $folder/containers"
  fi
  case $memory_mb in null) memory=infinity ;; *) memory=${memory_mb}M ;; esac
  systemd-run --quiet --unit="$unit" --slice="gantry-$class.slice" --property=User="$project" --property=Group="$project" \
    --property=TemporaryFileSystem="$home:mode=0755,nr_inodes=1k,size=1M" \
    --property=BindReadOnlyPaths="$folder/releases -$home/tools" --property=BindPaths="$folder/releases/$version $places" \
    --property=BindPaths="$folder/private-tmp:/tmp $folder/private-tmp:/var/tmp" \
    --property=MemoryMax="$memory" --property=MemorySwapMax="$memory" --property=CPUWeight="$cpu_weight" --property=TasksMax="$tasks" \
    "$@" >"$work/message" 2>&1
}

run() {
  # A copy to or from the cache is a unit of the build, with its limits and its end.
  class=$kind
  if [ "$kind" = cache ]; then class=build; fi
  unit=gantry-$class-$prefix$project-$version-$number-$marker.service
  read_job
  if [ "$class" = job ]; then own_once; else own; fi
  if [ -n "$engine" ]; then make_containers; fi
  forget "$unit"
  if [ "$class" = command ]; then open_files; else open_pipes; fi
  places="-$home/projects/$project/shared $home/projects/$project/home"
  if [ "$kind" = cache ]; then
    make_cache
    places=$home/projects/$project/cache
  fi
  exec 5<"$work/job"
  rm -f "$work/job"
  printf 'output %s\n' "$folder"
  [ "$(read_line)" = go ] || answer "refused: the agent has ended"
  start_unit --description="Gantry $kind of $project" --property=Type=oneshot --property=RemainAfterExit=yes \
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
    own
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
  path=$(timeout 10 head -c "$path_bytes" || true)
  [ "$(printf %s "$path" | wc -c)" -eq "$path_bytes" ] || answer "refused: the path is incomplete"
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
