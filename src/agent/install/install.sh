#!/bin/sh
# All of it is one group, so that a shell that gets only the beginning of this file runs none of it.
{
set -eu

# Filled in by the installation that serves this script (scripts/shared/build-agent.ts, src/worker/routes/agent-files.ts).
origin='@ORIGIN@'
agent_version='@AGENT_VERSION@'
agent_file='@AGENT_FILE@'
agent_sha256='@AGENT_SHA256@'

oldest_node=20
oldest_git=2.31
start_seconds=30

usage() {
  cat <<END
Installs the Gantry agent $agent_version of $origin on this server, or brings it up to date.

  curl -fsSL $origin/install.sh | GANTRY_TOKEN=<enrolment token> sh      # as root: a systemd service
  curl -fsSL $origin/install.sh | sh                                     # again: updates it, and keeps its enrolment
  curl -fsSL $origin/install.sh | sh -s -- --uninstall [--purge]

  --token TOKEN   the enrolment token; GANTRY_TOKEN in the environment is better, as nobody else can see it
  --no-service    for the current user, without root and systemd; says how to run it
  --no-start      installs the service and leaves it stopped
  --prefix DIR    where the program goes: /usr/local, or ~/.local with --no-service
  --home DIR      where projects go: /var/lib/gantry, or PREFIX/share/gantry with --no-service
  --user NAME     the service's user, made if there is none: gantry
  --uninstall     removes the agent; projects, policy and enrolment stay
  --purge         with --uninstall: removes these too

It ends with 0 when all is well; 1 something else failed; 2 wrong options; 3 installed, but not connected; 4 not Linux, or
no systemd; 5 Node, git or a downloader is missing or too old; 6 not root; 7 the control plane cannot be reached; 8 the
download is damaged; 9 no enrolment token; 10 the token was refused; 11 an agent runs by hand; 12 the new version does not
start, the old one is back; 13 a folder cannot be written to; 14 the control plane wants another agent.
END
}

say() { printf '%s\n' "gantry: $*"; }
fail() {
  code=$1
  shift
  printf '%s\n' "gantry: $*" >&2
  exit "$code"
}

# --- what was asked for ---

read_options() {
  token=${GANTRY_TOKEN:-}
  # The environment of everything that is started from here on.
  unset GANTRY_TOKEN
  action=install is_service=yes is_started=yes is_purge=no prefix='' home='' user=''
  while [ $# -gt 0 ]; do
    case $1 in
      --token | --prefix | --home | --user)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail 2 "$1 needs a value. --help tells more."; fi
        case $1 in
          --token) token=$2 ;;
          --prefix) prefix=$2 ;;
          --home) home=$2 ;;
          --user) user=$2 ;;
        esac
        shift 2
        ;;
      --no-service) is_service=no && shift ;;
      --no-start) is_started=no && shift ;;
      --uninstall) action=uninstall && shift ;;
      --purge) is_purge=yes && shift ;;
      -h | --help) usage && exit 0 ;;
      *) fail 2 "there is no option $1. --help tells which there are." ;;
    esac
  done
  if [ $is_purge = yes ] && [ $action != uninstall ]; then fail 2 "--purge goes with --uninstall."; fi
  if [ $is_service = no ] && [ -n "$user" ]; then fail 2 "--user goes with a service; without one it is you."; fi
  case $token in
    '' | gantry_enroll_*) ;;
    *) fail 10 "that is no enrolment token: one begins with gantry_enroll_, and POST /v1/servers answers with it." ;;
  esac
  case $token in *[!A-Za-z0-9_]*) fail 10 "that is no enrolment token: it holds more than letters and digits." ;; esac
}

read_places() {
  if [ $is_service = yes ]; then
    prefix=${prefix:-/usr/local}
  else
    prefix=${prefix:-${HOME:?}/.local}
  fi
  check_path --prefix "$prefix"
  lib=$prefix/lib/gantry
  program=$lib/gantry-agent.mjs
  wrapper=$prefix/bin/gantry-agent
  facts=$lib/installed
  # What an earlier installation was told counts where this one is told nothing.
  if [ $is_service = yes ]; then
    home=${home:-$(fact home)} && home=${home:-/var/lib/gantry}
    user=${user:-$(fact user)} && user=${user:-gantry}
  else
    home=${home:-$(fact home)} && home=${home:-$prefix/share/gantry}
    user=$(id -un)
  fi
  check_path --home "$home"
  # Told twice, it is the same folder.
  home=/$(printf '%s' "$home" | sed 's,//*,/,g; s,^/,,; s,/$,,')
  case $user in '' | -* | *[!A-Za-z0-9_.-]*) fail 2 "--user: $user is not a user's name." ;; esac
  unit=/etc/systemd/system/gantry-agent.service
  tmpfiles=/etc/tmpfiles.d/gantry-agent.conf
  settings=/etc/gantry
}

check_path() {
  case $2 in
    /*) ;;
    *) fail 2 "$1 needs an absolute path, not $2." ;;
  esac
  # These stand in the unit and in the wrapper as they are.
  case $2 in *[!A-Za-z0-9_./@+-]* | */../* | */..) fail 2 "$1: $2 has characters that Gantry does not take there." ;; esac
}

fact() {
  if [ -f "$facts" ]; then sed -n "s/^$1=//p" "$facts"; fi
}

# Whether the installer has made this home, or this user: that it made another says nothing of this one.
has_made() {
  case $1 in
    home) [ "$(fact made_home)" = yes ] && [ "$(fact home)" = "$home" ] ;;
    user) [ "$(fact made_user)" = yes ] && [ "$(fact user)" = "$user" ] ;;
  esac
}

# --- what the machine has ---

check_machine() {
  [ "$(uname -s)" = Linux ] || fail 4 "the agent's service needs Linux; this is $(uname -s)."
  if [ $is_service = yes ]; then
    [ "$(id -u)" -eq 0 ] || fail 6 "this needs root: become root and run the same line, or add --no-service."
    if ! [ -d /run/systemd/system ] || ! command -v systemctl >/dev/null; then
      fail 4 "this machine is not run by systemd. Add --no-service, and have what runs it here start the agent."
    fi
  fi
}

check_tools() {
  node=$(command -v node || command -v nodejs || true)
  [ -n "$node" ] || fail 5 "Node $oldest_node or newer is missing. $(how_to_get node)"
  has=$("$node" -p 'process.versions.node' 2>/dev/null) || fail 5 "$node does not run. $(how_to_get node)"
  is_older "$has" $oldest_node && fail 5 "Node $oldest_node or newer is needed; $node is $has. $(how_to_get node)"
  if [ $is_service = yes ]; then
    case $("$node" -p 'process.execPath') in
      /home/* | /root/*)
        fail 5 "$node is in a home folder, where a service cannot use it. $(how_to_get node)"
        ;;
    esac
  fi
  command -v git >/dev/null || fail 5 "git $oldest_git or newer is missing. $(how_to_get git)"
  has=$(git --version | sed 's/^git version //; s/ .*//')
  is_older "$has" $oldest_git && fail 5 "git $oldest_git or newer is needed; here is $has. $(how_to_get git)"
  return 0
}

# Whether the version $1 is older than $2, of which major and minor count.
is_older() {
  awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, "."); split(b, y, "."); exit !(x[1] + 0 < y[1] + 0 || (x[1] + 0 == y[1] + 0 && x[2] + 0 < y[2] + 0)) }'
}

how_to_get() {
  system=''
  if [ -r /etc/os-release ]; then system=$(sed -n 's/^ID=//p; s/^ID_LIKE=//p' /etc/os-release | tr '\n"' '  '); fi
  case "$1 $system" in
    node*alpine*) echo "Alpine: apk add nodejs" ;;
    node*fedora* | node*rhel*) echo "Fedora: dnf install nodejs" ;;
    node*debian* | node*ubuntu*) echo "Debian 13, Ubuntu 25.04 and newer: apt install nodejs. Older ones: https://nodejs.org/en/download" ;;
    node*) echo "https://nodejs.org/en/download" ;;
    git*alpine*) echo "Alpine: apk add git" ;;
    git*fedora* | git*rhel*) echo "Fedora: dnf install git" ;;
    git*debian* | git*ubuntu*) echo "Debian, Ubuntu: apt install git" ;;
    *) echo "https://git-scm.com/downloads/linux" ;;
  esac
}

# --- the parts of an installation ---

work=''
made_user=no
made_home=no
# shellcheck disable=SC2317
clean_up() {
  status=$?
  if [ -n "$work" ]; then rm -rf "$work"; fi
  # An installation that came to nothing leaves nothing, but what the same token needs to be used again.
  if ! [ -e "$program" ]; then
    if [ "$made_home" = yes ]; then rmdir "$home/.tmp" "$home" 2>/dev/null || true; fi
    if ! [ -e "$home/enrolling.json" ]; then
      if [ "$made_user" = yes ]; then userdel "$user" 2>/dev/null || true; fi
      rm -f "$facts"
    fi
    rmdir "$lib" 2>/dev/null || true
    remove_empty_prefix
  fi
  exit "$status"
}

# Those of a service are the system's own.
remove_empty_prefix() {
  if [ $is_service = yes ]; then return; fi
  for folder in "$prefix/share" "$prefix/lib" "$prefix/bin" "$prefix"; do
    rmdir "$folder" 2>/dev/null || true
  done
}

# Saves the address $1 as the file $2.
download() {
  if command -v curl >/dev/null; then
    curl -fsS --connect-timeout 15 --max-time 300 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -T 15 -O "$2" "$1"
  else
    fail 5 "curl or wget is missing."
  fi || fail 7 "$1 cannot be downloaded. If the control plane was updated just now, run the same line again."
}

sha256_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1" | cut -d ' ' -f 1
    return
  fi
  "$node" -e 'process.stdout.write(crypto.createHash("sha256").update(fs.readFileSync(process.argv[1])).digest("hex"))' "$1"
}

fetch_agent() {
  mkdir -p "$lib" "$prefix/bin" 2>/dev/null || fail 13 "$prefix cannot be written to."
  work=$(mktemp -d "$lib/.new.XXXXXX" 2>/dev/null) || fail 13 "$lib cannot be written to."
  # The service's user runs the file from here to enrol.
  chmod 755 "$lib" "$work"
  download "$origin/agent/$agent_file" "$work/gantry-agent.mjs"
  download "$origin/install.sh" "$work/install.sh"
  [ "$(sha256_of "$work/gantry-agent.mjs")" = "$agent_sha256" ] ||
    fail 8 "the agent's file is not what it should be: its SHA-256 differs. Nothing was installed; run the same line again."
  chmod 644 "$work/gantry-agent.mjs" "$work/install.sh"
  says=$("$node" "$work/gantry-agent.mjs" --version 2>&1) ||
    fail 12 "the agent $agent_version does not start, and nothing was changed. It says: $says"
}

make_user() {
  if id "$user" >/dev/null 2>&1; then return; fi
  useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin \
    --comment "Gantry agent" "$user" || fail 1 "the user $user cannot be made."
  made_user=yes
}

make_home() {
  if [ -d "$home" ]; then return; fi
  mkdir -p "$home" 2>/dev/null || fail 13 "$home cannot be written to."
  made_home=yes
  if [ $is_service = yes ]; then
    # Its group may read what is deployed, as a web server has to; nobody else.
    chmod 750 "$home"
    chown "$user:$(id -gn "$user")" "$home"
  fi
}

# What the service needs of its home folder, looked at before a token is spent for it.
check_home() {
  if ! as_user test -w "$home"; then
    fail 13 "the user $user cannot write to $home, which belongs to $(stat -c %U "$home"). Make it $user's with chown, or choose another --home or --user."
  fi
  as_user mkdir -p -m 700 "$home/.tmp" || fail 13 "$home/.tmp cannot be made."
  own=$(getent passwd "$user" | cut -d : -f 6) || own=''
  if [ -n "$own" ] && [ "$own" != "$home" ]; then
    say "git and builds have $home as their home folder, not $own: what $user has there, such as keys, is not used."
  fi
}

# Runs a command as the service's user.
as_user() {
  if [ "$(id -un)" = "$user" ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    HOME=$home runuser -u "$user" -- "$@"
  else
    # The arguments are paths and addresses that were checked, and have nothing for a shell in them.
    su -s /bin/sh -c "exec $*" "$user"
  fi
}

enrol() {
  [ -n "$token" ] || return 0
  # Should it come to nothing after the token was sent, the next run finds what this one has made.
  if ! [ -e "$program" ]; then note_facts; fi
  # Exported for this one command: the arguments of a program can be seen by everybody.
  if says=$(
    GANTRY_TOKEN=$token && export GANTRY_TOKEN
    as_user "$node" "$work/gantry-agent.mjs" enroll --url "$origin" --home "$home" 2>&1 </dev/null
  ); then
    say "${says#* }"
    return 0
  else
    code=$?
  fi
  # The line of the first time, run again: its token is spent, and the server is enrolled.
  if [ $code -eq 10 ] && grep -qF "\"url\": \"$origin\"" "$home/agent.json" 2>/dev/null; then
    say "the token was refused, perhaps because it was used before; this server stays enrolled as it is."
    return 0
  fi
  fail $code "$says"
}

# What a later installation, or a removal, has to know of this one.
note_facts() {
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  printf '%s\n' "home=$home" "user=$user" "service=$is_service" "made_user=$made_user" "made_home=$made_home" \
    >"$work/installed"
  mv -f "$work/installed" "$facts"
}

put_in_place() {
  if [ -f "$program" ]; then cp -p "$program" "$program.old"; fi
  write_wrapper >"$work/wrapper"
  chmod 755 "$work/wrapper"
  note_facts
  mv -f "$work/install.sh" "$lib/install.sh"
  mv -f "$work/wrapper" "$wrapper" || fail 13 "$wrapper cannot be written."
  mv -f "$work/gantry-agent.mjs" "$program"
}

write_wrapper() {
  cat <<END
#!/bin/sh
GANTRY_HOME=\${GANTRY_HOME:-$home}
export GANTRY_HOME
exec $node $program "\$@"
END
}

write_policy() {
  mkdir -p "$settings" 2>/dev/null || fail 13 "$settings cannot be written to."
  chmod 755 "$settings"
  if [ -e "$settings/policy.json" ]; then return; fi
  cat >"$settings/policy.json.new" <<'END'
{
  "version": 1,
  "repositories": "any",
  "branches": "any",
  "commits": "any",
  "build_commands": "any",
  "activate_commands": "any",
  "shared_paths": "any",
  "health_checks": "any",
  "remove_projects": "any"
}
END
  chmod 644 "$settings/policy.json.new" && mv "$settings/policy.json.new" "$settings/policy.json"
}

write_unit() {
  case $home in /home/* | /root/* | /run/user/*) protect_home=read-only ;; *) protect_home=yes ;; esac
  cat <<END
# Written by $origin/install.sh, and written anew by every update: change it with \`systemctl edit gantry-agent\`.
[Unit]
Description=Gantry agent
Documentation=$origin/docs
Wants=network-online.target
After=network-online.target
# However often it has to be started again.
StartLimitIntervalSec=0

[Service]
Type=exec
User=$user
ExecStart=$wrapper run --home $home --policy $settings/policy.json
# NODE_EXTRA_CA_CERTS; for git and builds HTTPS_PROXY, SSL_CERT_FILE ...; for git GIT_SSH_COMMAND ...
EnvironmentFile=-$settings/agent.env
Restart=always
RestartSec=5
# 78: a person has to change something first. 2: what is written here is wrong.
RestartPreventExitStatus=78 2
# The agent ends its commands itself, with 10 s of grace, and reports them. What an activate command has started is not
# the agent's to end, so only the agent gets a signal; the builds of one that dies are ended after it.
KillMode=process
TimeoutStopSec=30
ExecStopPost=-$wrapper end-builds --home $home
# A build that takes all the memory is killed, not the agent.
OOMPolicy=continue
UMask=0022
# The home folder of the user may be one that ProtectHome hides.
Environment=HOME=$home

# Builds are other people's programs. They may write below $home and to a /tmp of their own, and nowhere else.
ProtectSystem=strict
ReadWritePaths=$home
ProtectHome=$protect_home
# Not PrivateTmp, which is removed when the service stops: apps that go on need theirs.
BindPaths=$home/.tmp:/tmp $home/.tmp:/var/tmp
PrivateDevices=yes
ProtectProc=invisible
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: Node compiles while it runs, and so do many builds.

[Install]
WantedBy=multi-user.target
END
}

# The process that works in the home folder, whoever has started it.
agent_pid() {
  as_user "$node" "${1:-$program}" status --home "$home" 2>/dev/null </dev/null | sed -n 's/.*process \([0-9][0-9]*\).*/\1/p'
}

service_pid() {
  systemctl show --property=MainPID --value gantry-agent 2>/dev/null || true
}

refuse_agent_by_hand() {
  pid=$(agent_pid "$work/gantry-agent.mjs")
  if [ -n "$pid" ] && [ "$pid" != "$(service_pid)" ]; then
    fail 11 "an agent runs in $home already, as process $pid, and not as the service. End it, and run the same line again."
  fi
}

# Starts the service anew and waits. 0: connected. 3: up, but not connected. 12: not even up.
start_service() {
  systemctl restart gantry-agent || return 12
  says='' up=12 waited=0
  while [ $waited -lt $((start_seconds * 2)) ]; do
    says=$(as_user "$node" "$program" status --home "$home" 2>&1 </dev/null) || true
    case $says in
      'connected to'*) return 0 ;;
      'not connected'*) up=3 ;;
      *) up=12 ;;
    esac
    # It has given up, and says why in its log.
    if systemctl is-failed --quiet gantry-agent; then return 12; fi
    sleep 0.5 2>/dev/null || sleep 1
    waited=$((waited + 1))
  done
  return $up
}

last_words() {
  journalctl --unit=gantry-agent --lines=12 --output=cat --no-pager 2>/dev/null || true
}

run_service() {
  write_unit >"$work/unit"
  cp "$work/unit" "$unit.new" || fail 13 "$unit cannot be written."
  chmod 644 "$unit.new"
  mv -f "$unit.new" "$unit"
  # What builds and apps leave in their /tmp goes as it does in the system's.
  printf '%s\n' "d $home/.tmp 0700 $user $(id -gn "$user") 10d" >"$tmpfiles.new"
  mv -f "$tmpfiles.new" "$tmpfiles"
  systemctl daemon-reload
  if [ $is_started = no ]; then
    rm -f "$program.old"
    say "installed. Start it with: systemctl enable --now gantry-agent"
    return
  fi
  systemctl enable --quiet gantry-agent
  if start_service; then result=0; else result=$?; fi
  case $result in
    0) say "$says" ;;
    3) fail 3 "the service runs, but: $says. It goes on trying. Its log: journalctl -u gantry-agent" ;;
    *)
      reason=$(last_words)
      if [ -f "$program.old" ]; then
        mv -f "$program.old" "$program"
        systemctl restart gantry-agent || true
        fail 12 "the agent $agent_version does not start, so the one before is back. $reason"
      fi
      fail 12 "the agent does not start. $reason"
      ;;
  esac
  rm -f "$program.old"
}

tell_how_to_run() {
  rm -f "$program.old"
  say "installed $wrapper, for $user."
  pid=$(agent_pid)
  if [ -n "$pid" ]; then
    say "process $pid still runs the file of before: end it and start it again."
  fi
  say "run it with: $wrapper run"
}

# Without a token there is an enrolment, and it is one with this control plane: each has an agent of its own.
check_enrolment() {
  if [ -n "$token" ]; then return; fi
  if ! [ -e "$home/agent.json" ]; then
    fail 9 "this server is not enrolled, and there is no enrolment token. POST /v1/servers answers with one, and POST /v1/servers/{id}/enrollment with another; give it as GANTRY_TOKEN."
  fi
  other=$(sed -n 's/.*"url": "\([^"]*\)".*/\1/p' "$home/agent.json" 2>/dev/null) || true
  if [ "$other" != "$origin" ]; then
    fail 9 "this server is enrolled with $other, and this is the agent of $origin. Run the line of $other to update it, or give a token of $origin as GANTRY_TOKEN."
  fi
}

install_agent() {
  check_machine
  check_tools
  check_enrolment
  fetch_agent
  if [ $is_service = yes ]; then
    make_user
    make_home
    check_home
    refuse_agent_by_hand
    write_policy
  else
    make_home
  fi
  enrol
  put_in_place
  if [ $is_service = yes ]; then run_service; else tell_how_to_run; fi
}

# --- the way back ---

uninstall_agent() {
  # What is installed says what it is.
  if [ "$(fact service)" = no ]; then is_service=no; fi
  [ $is_service = no ] || [ "$(id -u)" -eq 0 ] ||
    fail 6 "this needs root: become root and run the same line, or add --no-service if it was installed with it."
  if ! is_installed; then
    say "there is no agent in $prefix, nor files of one in $home: nothing was removed."
    return
  fi
  node=$(command -v node || command -v nodejs || true)
  server=$(sed -n 's/.*"server_id": "\([a-z0-9_]*\)".*/\1/p' "$home/agent.json" 2>/dev/null || true)
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  if [ $is_service = yes ]; then
    if [ -e "$unit" ]; then
      systemctl disable --now --quiet gantry-agent || true
      if [ $is_purge = yes ]; then end_apps; fi
      rm -f "$unit" "$tmpfiles"
      systemctl daemon-reload
    fi
  fi
  if [ -e "$program" ] && [ -n "$node" ]; then
    pid=$(agent_pid)
    [ -z "$pid" ] || fail 11 "an agent runs in $home, as process $pid. End it, and run the same line again."
  fi
  # What is known of the installation stays for as long as there is something to purge.
  rm -rf "$program" "$program.old" "$lib/install.sh" "$wrapper" || fail 13 "$prefix cannot be written to."
  if [ $is_purge = yes ]; then
    # Of a folder that was somebody's before, only what is the agent's.
    if [ "$made_home" = yes ]; then
      rm -rf "$home" || fail 13 "$home cannot be removed."
    else
      for name in projects agent.json agent.lock link.json enrolling.json .tmp; do rm -rf "${home:?}/$name"; done
    fi
    if [ $is_service = yes ]; then
      rm -rf "$settings"
      if [ "$made_user" = yes ] && id "$user" >/dev/null 2>&1; then userdel "$user"; fi
    fi
    rm -rf "$lib"
  fi
  remove_empty_prefix
  say "the agent is removed."
  if [ $is_purge = no ] && [ -e "$home" ]; then
    say "left: $home, with the projects' files and this server's enrolment$(left_of_service)."
    say "remove these too with: curl -fsSL $origin/install.sh | sh -s -- --uninstall --purge$(same_place)"
  fi
  if [ -n "$server" ]; then say "the control plane still lists it: DELETE $origin/v1/servers/$server"; fi
}

# What activate commands have started keeps running without the service, in the group of its processes. systemd forgets the
# group of a unit that has stopped, so it is read here: with cgroup v2, and with v1.
app_pids() {
  for group in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    cat "$group/system.slice/gantry-agent.service/cgroup.procs" 2>/dev/null || true
  done | grep -x '[1-9][0-9]*' | sort -u
}

end_apps() {
  for signal in TERM KILL; do
    waited=0
    while [ $waited -lt 10 ]; do
      pids=$(app_pids)
      if [ -z "$pids" ]; then return; fi
      # shellcheck disable=SC2086
      if [ $waited -eq 0 ]; then kill -s $signal $pids 2>/dev/null || true; fi
      sleep 0.5 2>/dev/null || sleep 1
      waited=$((waited + 1))
    done
  done
}

# Whether anything of an installation is there.
is_installed() {
  for path in "$program" "$wrapper" "$facts" "$home/agent.json" "$home/projects"; do
    if [ -e "$path" ]; then return 0; fi
  done
  [ $is_service = yes ] && [ -e "$unit" ]
}

left_of_service() {
  if [ $is_service = yes ]; then printf '%s' "; $settings; the user $user"; fi
}

same_place() {
  if [ $is_service = no ]; then printf ' --no-service'; fi
  case $prefix in /usr/local | "${HOME:-}/.local") ;; *) printf ' --prefix %s' "$prefix" ;; esac
}

main() {
  # Whatever root's own is: the service's user has to read what is put here.
  umask 022
  read_options "$@"
  read_places
  if [ $action = uninstall ]; then
    uninstall_agent
  else
    trap clean_up EXIT
    trap 'exit 1' INT TERM HUP
    install_agent
  fi
}

main "$@" </dev/null
exit
}
