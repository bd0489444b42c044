#!/bin/sh
# The whole script is one group, so that a shell that receives only a part of it runs nothing.
{
set -eu

# Filled in by the installation that serves this script (scripts/shared/build-agent.ts,
# src/worker/routes/agent-files.ts).
origin='@ORIGIN@'
agent_version='@AGENT_VERSION@'
agent_file='@AGENT_FILE@'
agent_sha256='@AGENT_SHA256@'

oldest_node=20
oldest_git=2.31
start_seconds=30

# mise installs the tool versions that repositories ask for. The hash is of its program for Linux on x86_64.
mise_version=2026.9.15
mise_sha256=09ea631d6f3e7031d63606a0892dc4c796f9fb57f493bc45937f9f7113c88216
mise_url=${GANTRY_MISE_URL:-https://github.com/jdx/mise/releases/download}/v$mise_version/mise-v$mise_version-linux-x64

# Caddy receives the visitors' requests. Older versions cannot read a slot for each request. The hashes are of Debian's
# packages, which snapshot.debian.org keeps by their SHA-1.
oldest_caddy=2.8
caddy_version=2.11.4

usage() {
  cat <<END
Installs the Gantry agent $agent_version of $origin on this server, or updates it.

  curl -fsSL $origin/install.sh | GANTRY_TOKEN=<enrolment token> sh      # as root: installs a systemd service
  curl -fsSL $origin/install.sh | sh                                     # run again: updates the agent, keeps the enrolment
  curl -fsSL $origin/install.sh | sh -s -- --uninstall [--purge]

  --token TOKEN   the enrolment token; prefer GANTRY_TOKEN, which other users cannot see
  --no-service    installs for the current user, without root and systemd, and prints how to run the agent
  --no-start      installs the service but does not start it
  --with-mise     installs mise $mise_version too: deployments then get the versions of Node, Ruby, Python … that they ask for
  --ingress       installs Caddy $caddy_version too, as a service that leads the domains of projects to them, with TLS
  --ingress-issuer internal   with certificates of the server's own authority, not of Let's Encrypt
  --ingress-listen ADDRESS:PORT   without TLS at this address, behind a web server of yours
  --policy strict   with a policy by which commands come from repositories, never from the control plane's settings
  --policy open   with a policy that allows everything, except one-off commands and cron jobs (the default). An existing policy stays
  --repositories LIST   with --policy strict: only these repositories, such as 'https://github.com/you/*,git@github.com:you/*'
  --allow-commands   lets tokens with the scope commands:run run commands in projects: writes the rule into the policy
  --allow-cron    lets projects run cron jobs: writes the rule into the policy
  --metrics ADDRESS:PORT   serves metrics for Prometheus at this address of the server, such as 127.0.0.1:9464; none: stops serving them
  --prefix DIR    the program's folder (default: /usr/local, or ~/.local with --no-service)
  --home DIR      the folder for projects (default: /var/lib/gantry, or PREFIX/share/gantry with --no-service)
  --user NAME     the service's user, created if it does not exist (default: gantry)
  --uninstall     removes the agent; projects, policy and enrolment stay
  --purge         with --uninstall: removes projects, policy and enrolment too

Exit codes: 0 success; 1 another failure; 2 wrong options; 3 installed, but not connected; 4 not Linux, or no systemd;
5 Node, git or a downloader is missing or too old; 6 not root; 7 the control plane cannot be reached; 8 the download is
damaged; 9 no enrolment token; 10 the token was refused; 11 an agent runs without the service; 12 the new version does not
start, and the old one was put back; 13 a folder is not writable; 14 the control plane needs another agent version; 15 the ingress cannot be installed: its
ports are in use, or Caddy is too old; 16 there is no agent to uninstall in these folders.
END
}

log() { printf '%s\n' "gantry: $*"; }
fail() {
  code=$1
  shift
  printf '%s\n' "gantry: $*" >&2
  exit "$code"
}

# --- options ---

read_options() {
  token=${GANTRY_TOKEN:-}
  # Commands that this script starts do not need the token in their environment.
  unset GANTRY_TOKEN
  action=install is_service=yes is_started=yes is_purge=no wants_mise=no wants_ingress=no policy='' repositories='' rules='' metrics='' issuer='' listen='' prefix='' home='' user=''
  while [ $# -gt 0 ]; do
    case $1 in
      --token | --prefix | --home | --user | --policy | --repositories | --ingress-issuer | --ingress-listen | --metrics)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail 2 "$1 needs a value. See --help."; fi
        case $1 in
          --token) token=$2 ;;
          --prefix) prefix=$2 ;;
          --home) home=$2 ;;
          --user) user=$2 ;;
          --metrics) metrics=$2 ;;
          --policy) policy=$2 ;;
          --repositories) repositories=$2 ;;
          --ingress-issuer) issuer=$2 wants_ingress=yes ;;
          --ingress-listen) listen=$2 wants_ingress=yes ;;
        esac
        shift 2
        ;;
      --no-service) is_service=no && shift ;;
      --no-start) is_started=no && shift ;;
      --with-mise) wants_mise=yes && shift ;;
      --ingress) wants_ingress=yes && shift ;;
      --allow-commands | --allow-cron) rules="$rules ${1#--allow-}" && shift ;;
      --uninstall) action=uninstall && shift ;;
      --purge) is_purge=yes && shift ;;
      -h | --help) usage && exit 0 ;;
      *) fail 2 "unknown option $1. See --help." ;;
    esac
  done
  if [ $is_purge = yes ] && [ $action != uninstall ]; then fail 2 "--purge needs --uninstall."; fi
  if [ $is_service = no ] && [ -n "$user" ]; then fail 2 "--user cannot be used with --no-service, which installs for the current user."; fi
  if [ $is_service = no ] && [ $wants_ingress = yes ]; then
    fail 4 "--ingress needs systemd, and so cannot be used with --no-service."
  fi
  case $policy in '' | open | strict) ;; *) fail 2 "--policy: strict or open, not $policy." ;; esac
  if [ -n "$repositories" ] && [ "$policy" != strict ]; then fail 2 "--repositories needs --policy strict."; fi
  if [ $is_service = no ] && [ "$policy" = strict ]; then
    fail 2 "--policy strict cannot hold with --no-service, because the commands of projects then run as the user who owns the policy. Install the service, or leave --policy out."
  fi
  if [ $is_service = no ] && [ -n "$rules" ]; then
    fail 2 "--allow-${rules##* } writes the policy of the service. Without one, run the agent with its own option --allow-${rules##* }."
  fi
  if [ $is_service = no ] && [ -n "$metrics" ]; then
    fail 2 "--metrics is an option of the service. Without one, run the agent with its own option --metrics."
  fi
  if [ -n "$metrics" ] && ! printf '%s' "$metrics" | grep -qxE '((127\.[0-9.]{5,11}|\[::1\]|localhost):[0-9]{1,5})|none'; then
    fail 2 "--metrics needs an address of this server and a port, such as 127.0.0.1:9464, not $metrics."
  fi
  case $issuer in '' | acme | internal) ;; *) fail 2 "--ingress-issuer: acme or internal, not $issuer." ;; esac
  if [ -n "$listen" ] && ! printf '%s' "$listen" | grep -qxE '([0-9.]{7,15}|\[[0-9a-f:.]{2,45}\]):[0-9]{1,5}'; then
    fail 2 "--ingress-listen needs an address and a port, such as 127.0.0.1:8080, not $listen."
  fi
  case $token in
    '' | gantry_enroll_*) ;;
    *) fail 10 "not an enrolment token: it must start with gantry_enroll_. POST /v1/servers returns one." ;;
  esac
  case $token in *[!A-Za-z0-9_]*) fail 10 "not an enrolment token: it contains characters other than letters, digits and _." ;; esac
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
  mise=$prefix/bin/mise
  # Omitted options keep the values of an earlier installation.
  made_mise=$(fact made_mise)
  made_caddy=$(fact made_caddy)
  caddy=$(fact caddy)
  metrics=${metrics:-$(fact metrics)}
  if [ "$metrics" = none ]; then metrics=''; fi
  if [ -n "$caddy" ] && [ $is_service = yes ]; then wants_ingress=yes; fi
  if [ $is_service = yes ]; then
    home=${home:-$(fact home)} && home=${home:-/var/lib/gantry}
    user=${user:-$(fact user)} && user=${user:-gantry}
  else
    home=${home:-$(fact home)} && home=${home:-$prefix/share/gantry}
    user=$(id -un)
  fi
  check_path --home "$home"
  # Normalize slashes, so that the same folder always has the same name.
  home=/$(printf '%s' "$home" | sed 's,//*,/,g; s,^/,,; s,/$,,')
  case $user in '' | -* | *[!A-Za-z0-9_.-]*) fail 2 "--user: $user is not a valid user name." ;; esac
  unit=/etc/systemd/system/gantry-agent.service
  isolate=$lib/isolate
  app_life=$lib/app-life
  isolate_socket=/run/gantry-isolate.sock
  isolate_group=gantry-isolate
  tmpfiles=/etc/tmpfiles.d/gantry-agent.conf
  settings=/etc/gantry
  ingress_unit=/etc/systemd/system/gantry-ingress.service
  ingress_user=gantry-ingress
  ingress_state=/var/lib/gantry-ingress
}

check_path() {
  case $2 in
    /*) ;;
    *) fail 2 "$1 needs an absolute path, not $2." ;;
  esac
  # The unit and the wrapper contain these paths without quotes.
  case $2 in *[!A-Za-z0-9_./@+-]* | */../* | */..) fail 2 "$1: $2 contains characters that are not allowed." ;; esac
}

fact() {
  if [ -f "$facts" ]; then sed -n "s/^$1=//p" "$facts"; fi
}

# Removes facts from the record.
forget_facts() {
  for name in "$@"; do
    sed "/^$name=/d" "$facts" >"$facts.new"
    mv -f "$facts.new" "$facts"
  done
}

# Whether the installer created the current home folder or user.
has_made() {
  case $1 in
    home) [ "$(fact made_home)" = yes ] && [ "$(fact home)" = "$home" ] ;;
    user) [ "$(fact made_user)" = yes ] && [ "$(fact user)" = "$user" ] ;;
  esac
}

# --- requirements ---

check_machine() {
  [ "$(uname -s)" = Linux ] || fail 4 "the agent's service needs Linux; this is $(uname -s)."
  if [ $is_service = yes ]; then
    [ "$(id -u)" -eq 0 ] || fail 6 "root is required: run the same line as root, or add --no-service."
    if ! [ -d /run/systemd/system ] || ! command -v systemctl >/dev/null; then
      fail 4 "systemd does not run on this machine. Add --no-service, and let another supervisor start the agent."
    fi
  fi
}

check_tools() {
  node=$(command -v node || command -v nodejs || true)
  [ -n "$node" ] || fail 5 "Node $oldest_node or newer is missing. $(install_hint node)"
  has=$("$node" -p 'process.versions.node' 2>/dev/null) || fail 5 "$node cannot be started. $(install_hint node)"
  is_older "$has" $oldest_node && fail 5 "Node $oldest_node or newer is required; $node is version $has. $(install_hint node)"
  if [ $is_service = yes ]; then
    case $("$node" -p 'process.execPath') in
      /home/* | /root/*)
        fail 5 "$node is in a home folder, where a service cannot use it. $(install_hint node)"
        ;;
    esac
  fi
  command -v git >/dev/null || fail 5 "git $oldest_git or newer is missing. $(install_hint git)"
  has=$(git --version | sed 's/^git version //; s/ .*//')
  is_older "$has" $oldest_git && fail 5 "git $oldest_git or newer is required; the installed version is $has. $(install_hint git)"
  return 0
}

# Whether version $1 is older than $2, by major and minor version.
is_older() {
  awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, "."); split(b, y, "."); exit !(x[1] + 0 < y[1] + 0 || (x[1] + 0 == y[1] + 0 && x[2] + 0 < y[2] + 0)) }'
}

install_hint() {
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

# --- installation ---

work=''
made_user=no
made_home=no
# shellcheck disable=SC2317
clean_up() {
  status=$?
  if [ -n "$work" ]; then rm -rf "$work"; fi
  # A failed installation leaves nothing behind, except what the same token needs to be used again.
  if ! [ -e "$program" ]; then
    if has_made home; then rmdir "$home/.tmp" "$home" 2>/dev/null || true; fi
    if ! [ -e "$home/enrolling.json" ] && ! [ -e "$home/agent.json" ]; then
      if has_made user; then userdel "$user" 2>/dev/null || true; fi
      rm -f "$facts"
    fi
    rmdir "$lib" 2>/dev/null || true
    remove_empty_prefix
  fi
  exit "$status"
}

# The folders of a service belong to the system.
remove_empty_prefix() {
  if [ $is_service = yes ]; then return; fi
  for folder in "$prefix/share" "$prefix/lib" "$prefix/bin" "$prefix"; do
    rmdir "$folder" 2>/dev/null || true
  done
}

# Downloads the URL $1 to the file $2, in at most $3 seconds.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --connect-timeout 15 --max-time "${3:-300}" -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -T 15 -O "$2" "$1"
  else
    fail 5 "curl or wget is missing."
  fi || fail 7 "$1 cannot be downloaded. If the control plane has just been updated, run the same line again."
}

sha256_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1" | cut -d ' ' -f 1
    return
  fi
  "$node" -e 'process.stdout.write(crypto.createHash("sha256").update(fs.readFileSync(process.argv[1])).digest("hex"))' "$1"
}

# Removes the downloads of installations that were killed.
remove_drafts() {
  for draft in "$lib"/.new.*; do
    pid=${draft#"$lib/.new."}
    if ! kill -0 "${pid%%.*}" 2>/dev/null; then rm -rf "$draft"; fi
  done
}

fetch_agent() {
  mkdir -p "$lib" "$prefix/bin" 2>/dev/null || fail 13 "$prefix is not writable."
  remove_drafts
  work=$(mktemp -d "$lib/.new.$$.XXXXXX" 2>/dev/null) || fail 13 "$lib is not writable."
  # The service's user runs the file from here to enrol.
  chmod 755 "$lib" "$work"
  download "$origin/agent/$agent_file" "$work/gantry-agent.mjs"
  download "$origin/install.sh" "$work/install.sh"
  [ "$(sha256_of "$work/gantry-agent.mjs")" = "$agent_sha256" ] ||
    fail 8 "the downloaded agent is damaged: its SHA-256 differs. Nothing was installed. Run the same line again."
  chmod 644 "$work/gantry-agent.mjs" "$work/install.sh"
  output=$("$node" "$work/gantry-agent.mjs" --version 2>&1) ||
    fail 12 "the agent $agent_version does not start. Nothing was changed. Its output: $output"
}

# Downloads mise, unless the server has it, or has it from an earlier run of this script in this version.
fetch_mise() {
  if [ $wants_mise = no ]; then return; fi
  if [ "$made_mise" = $mise_version ] && [ -x "$mise" ]; then return; fi
  found=$(command -v mise || true)
  if [ -n "$found" ] && [ -z "$made_mise" ]; then
    log "mise is installed already: $found"
    return
  fi
  [ "$(uname -m)" = x86_64 ] || fail 4 "--with-mise is for x86_64; this is $(uname -m). Install mise as https://mise.jdx.dev says. Nothing was installed."
  log "downloading mise $mise_version (140 MiB)"
  download "$mise_url" "$work/mise" 1800
  [ "$(sha256_of "$work/mise")" = $mise_sha256 ] ||
    fail 8 "the downloaded mise is damaged: its SHA-256 differs. Nothing was installed. Run the same line again."
  chmod 755 "$work/mise"
  output=$("$work/mise" --version 2>&1) || fail 1 "mise does not start on this system. Nothing was installed. Its output: $output"
}

# --- ingress ---

# Checks what --ingress needs, and finds or downloads Caddy. Changes nothing of the system.
prepare_ingress() {
  if [ $wants_ingress = no ]; then return; fi
  check_ports
  find_caddy
}

# The ports of the ingress: those in its settings, or the usual ones.
ingress_ports() {
  file=$settings/ingress.json
  has_listen=$listen
  if [ -z "$listen$issuer" ] && [ -r "$file" ]; then
    has_listen=$(sed -n 's/.*"listen": *"\([^"]*\)".*/\1/p' "$file")
  fi
  if [ -n "$has_listen" ]; then
    echo "${has_listen##*:}"
    return
  fi
  for port in http_port:80 https_port:443; do
    set_port=$(sed -n "s/.*\"${port%:*}\": *\([0-9]*\).*/\1/p" "$file" 2>/dev/null || true)
    echo "${set_port:-${port#*:}}"
  done
}

check_ports() {
  if systemctl is-active --quiet gantry-ingress; then return; fi
  for port in $(ingress_ports); do
    "$node" -e 'net.createServer().once("error", () => process.exit(1)).listen(+process.argv[1], () => process.exit(0))' "$port" || {
      holder=$(ss -Hltnp "sport = :$port" 2>/dev/null | sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1 (process \2)/p' | head -n 1)
      fail 15 "the ingress needs port $port, which ${holder:-another program} uses. Stop it, or keep it in front with --ingress-listen 127.0.0.1:8080: $origin/docs says how. Nothing was installed."
    }
  done
}

# The version of the program $1, such as 2.11.4.
version_of_caddy() {
  "$1" version 2>/dev/null | sed -n 's/^v\{0,1\}\([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# Uses the system's Caddy if it is new enough, and otherwise one of its own.
find_caddy() {
  if [ -n "${GANTRY_CADDY:-}" ]; then
    cp "$GANTRY_CADDY" "$work/caddy" 2>/dev/null || fail 15 "GANTRY_CADDY: $GANTRY_CADDY cannot be read. Nothing was installed."
    chmod 755 "$work/caddy"
    accept_caddy "$work/caddy" "GANTRY_CADDY"
    made_caddy=given caddy=$lib/caddy
    return
  fi
  case $made_caddy in given | "$caddy_version") if [ -x "$lib/caddy" ]; then return; fi ;; esac
  found=$(command -v caddy || true)
  case $found in /home/* | /root/*) found='' ;; esac
  if [ -n "$found" ]; then
    has=$(version_of_caddy "$found")
    if [ -n "$has" ] && ! is_older "$has" $oldest_caddy; then
      caddy=$found made_caddy=''
      log "the ingress uses $found, version $has"
      return
    fi
    log "$found is version ${has:-unknown}, but $oldest_caddy or newer is needed: the ingress gets a Caddy of its own"
  fi
  fetch_caddy
}

fetch_caddy() {
  case $(uname -m) in
    x86_64) machine=amd64 sha1=54837fabeff5a84fc4d42006e257fa1552f5697c sha256=76f461ef3a123b18d77c4653a10b14d77b92c4ca13654a05236e9d5e9c49e3f3 ;;
    aarch64) machine=arm64 sha1=6128c92ca17f6f85f18466cedd635907545aea79 sha256=4a9b36ba25422e525b2409abdfc64e9b1b31f272e2b8ffb0d7a81ce8fc60e64a ;;
    *) machine='' ;;
  esac
  if [ -z "$machine" ] || ! command -v dpkg-deb >/dev/null; then
    fail 15 "Caddy $oldest_caddy or newer is missing: install it as https://caddyserver.com/docs/install says, or set GANTRY_CADDY to its program. Nothing was installed."
  fi
  url=https://snapshot.debian.org/file/$sha1
  if [ -n "${GANTRY_CADDY_URL:-}" ]; then url=$GANTRY_CADDY_URL/caddy_$caddy_version-1_$machine.deb; fi
  log "downloading Caddy $caddy_version (12 MiB)"
  download "$url" "$work/caddy.deb" 900
  [ "$(sha256_of "$work/caddy.deb")" = "$sha256" ] ||
    fail 8 "the downloaded Caddy is damaged: its SHA-256 differs. Nothing was installed. Run the same line again."
  dpkg-deb --fsys-tarfile "$work/caddy.deb" | tar -xO ./usr/bin/caddy >"$work/caddy"
  rm -f "$work/caddy.deb"
  chmod 755 "$work/caddy"
  accept_caddy "$work/caddy" "the downloaded Caddy"
  made_caddy=$caddy_version caddy=$lib/caddy
}

accept_caddy() {
  has=$(version_of_caddy "$1")
  [ -n "$has" ] || fail 15 "$2 does not start on this system. Nothing was installed. Its output: $("$1" version 2>&1 | head -n 3)"
  ! is_older "$has" $oldest_caddy || fail 15 "$2 is version $has, but the ingress needs $oldest_caddy or newer. Nothing was installed."
}

# What the agent and Caddy agree on. The owner may edit it, so only options replace it.
write_ingress_settings() {
  if [ -e "$settings/ingress.json" ] && [ -z "$issuer$listen" ]; then return; fi
  case $listen in '') more='' ;; *) more=", \"listen\": \"$listen\"" ;; esac
  place "$settings/ingress.json" 644 <<END
{
  "admin": "/run/gantry-ingress/admin.sock",
  "check": "/run/gantry-ingress/check.sock",
  "issuer": "${issuer:-acme}"$more
}
END
}

write_ingress_unit() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To change it, use \`systemctl edit gantry-ingress\`.
[Unit]
Description=Gantry ingress (Caddy)
Documentation=$origin/docs
Wants=network-online.target
After=network-online.target
# Restart without a limit.
StartLimitIntervalSec=0

[Service]
Type=notify
User=$ingress_user
# Caddy reads the releases, and the agent reaches Caddy's sockets. No project's user is in the group.
Group=$(id -gn "$user")
SupplementaryGroups=$isolate_group
# The agent writes the file, and changes it while Caddy runs.
ExecStart=$caddy run --config $home/ingress/caddy.json
# HTTPS_PROXY, SSL_CERT_FILE ...
EnvironmentFile=-$settings/ingress.env
Environment=HOME=$ingress_state XDG_DATA_HOME=$ingress_state XDG_CONFIG_HOME=$ingress_state
Restart=always
RestartSec=1
TimeoutStopSec=30
LimitNOFILE=1048576
OOMScoreAdjust=-300
# The certificates and their keys.
StateDirectory=gantry-ingress
StateDirectoryMode=0700
# The sockets for the agent.
RuntimeDirectory=gantry-ingress
RuntimeDirectoryMode=0750

ProtectSystem=strict
ProtectHome=$(protect_home)
PrivateTmp=yes
PrivateDevices=yes
MemoryDenyWriteExecute=yes
$(confinement)
# For the ports 80 and 443.
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE

[Install]
WantedBy=multi-user.target
END
}

# Caddy starts with this until the agent has written its configuration. Written as the agent's user, who could put links
# into its home folder: root would follow them.
write_first_config() {
  config=$home/ingress/caddy.json
  if [ -e "$config" ]; then return; fi
  as_user mkdir -p "$home/ingress"
  as_user tee "$config" >/dev/null <<END || fail 13 "$config cannot be written."
{"admin": {"listen": "unix//run/gantry-ingress/admin.sock|0660", "origins": ["gantry"], "config": {"persist": false}}}
END
}

# Restarts Caddy only if it has changed, because that cuts off visitors.
install_ingress() {
  if [ $wants_ingress = no ]; then return; fi
  id "$ingress_user" >/dev/null 2>&1 ||
    useradd --system --gid "$(id -gn "$user")" --home-dir "$ingress_state" --no-create-home --shell /usr/sbin/nologin \
      --comment "Gantry ingress" "$ingress_user" || fail 1 "the user $ingress_user cannot be created."
  start=start
  if [ -e "$work/caddy" ]; then
    mv -f "$work/caddy" "$lib/caddy" || fail 13 "$lib/caddy cannot be written."
    start=restart
  fi
  write_ingress_settings
  write_first_config
  before=$(cat "$ingress_unit" 2>/dev/null || true)
  write_ingress_unit | place "$ingress_unit" 644
  if [ "$before" != "$(cat "$ingress_unit")" ]; then start=restart; fi
  systemctl daemon-reload
  if [ $is_started = no ]; then return; fi
  systemctl enable --quiet gantry-ingress
  systemctl $start gantry-ingress ||
    fail 15 "the ingress does not start. Its log: $(journalctl --unit=gantry-ingress --lines=5 --output=cat --no-pager 2>/dev/null || true)"
  log "the ingress runs: $caddy, as the service gantry-ingress"
}

remove_ingress() {
  if [ -e "$ingress_unit" ]; then
    systemctl disable --now --quiet gantry-ingress 2>/dev/null || true
    # A later installation without --ingress gets none.
    forget_facts caddy made_caddy
    rm -f "$lib/caddy"
    rm -f "$ingress_unit"
  fi
  if [ $is_purge = no ]; then return; fi
  rm -rf "$ingress_state"
  if id "$ingress_user" >/dev/null 2>&1; then userdel "$ingress_user" 2>/dev/null || true; fi
}

# Decides what this run makes. A first installation records it now, so that even if it is killed, the next run and an
# uninstallation know it.
plan_making() {
  if [ $is_service = yes ] && ! id "$user" >/dev/null 2>&1; then made_user=yes; fi
  if ! [ -d "$home" ]; then made_home=yes; fi
  if ! [ -e "$program" ]; then write_facts; fi
}

make_user() {
  if id "$user" >/dev/null 2>&1; then return; fi
  useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin \
    --comment "Gantry agent" "$user" || fail 1 "the user $user cannot be created."
}

make_home() {
  # A folder that was made by an installation that was killed may not belong to its user yet.
  if [ -d "$home" ] && { [ -e "$home/agent.json" ] || ! has_made home; }; then return; fi
  mkdir -p "$home" 2>/dev/null || fail 13 "$home is not writable."
  if [ $is_service = yes ]; then
    # Only its user and its group may read what is deployed. A web server has to be in the group.
    chmod 750 "$home"
    chown "$user:$(id -gn "$user")" "$home"
  fi
}

# Checks the home folder before the token is used.
check_home() {
  if ! as_user test -w "$home"; then
    fail 13 "the user $user cannot write to $home, which belongs to $(stat -c %U "$home"). Run: chown $user $home, or choose another --home or --user."
  fi
  as_user mkdir -p -m 700 "$home/.tmp" || fail 13 "$home/.tmp cannot be created."
  own=$(getent passwd "$user" | cut -d : -f 6) || own=''
  if [ -n "$own" ] && [ "$own" != "$home" ]; then
    log "git and builds use $home as their home folder, not $own: files of $user there, such as keys, are not used."
  fi
}

# Runs a command as the service's user.
as_user() {
  if [ "$(id -un)" = "$user" ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    HOME=$home runuser -u "$user" -- "$@"
  else
    # The arguments are paths and URLs that were checked, so they need no quotes.
    su -s /bin/sh -c "exec $*" "$user"
  fi
}

enrol() {
  [ -n "$token" ] || return 0
  # Exported for this command only, because all users can see a program's arguments.
  if output=$(
    GANTRY_TOKEN=$token && export GANTRY_TOKEN
    as_user "$node" "$work/gantry-agent.mjs" enroll --url "$origin" --home "$home" 2>&1 </dev/null
  ); then
    log "${output#* }"
    return 0
  else
    code=$?
  fi
  # The first installation's line was run again: its token is used, and the server is enrolled.
  if [ $code -eq 10 ] && grep -qF "\"url\": \"$origin\"" "$home/agent.json" 2>/dev/null; then
    log "the token was refused, probably because it was used before. This server stays enrolled."
    return 0
  fi
  fail $code "$output"
}

# Records this installation for a later update or removal.
write_facts() {
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  printf '%s\n' "home=$home" "user=$user" "service=$is_service" "made_user=$made_user" "made_home=$made_home" \
    "made_mise=$made_mise" "caddy=$caddy" "made_caddy=$made_caddy" "metrics=$metrics" \
    >"$work/installed"
  mv -f "$work/installed" "$facts"
}

# The program and the unit that ran before are kept until the new ones have started. An installation that was interrupted
# may have put new ones in their place, and the next one must be able to go back to those that ran.
keep_previous() {
  if [ -f "$1" ] && ! [ -f "$2" ]; then
    cp -p "$1" "$2.new"
    mv -f "$2.new" "$2"
  fi
}

forget_previous() {
  rm -f "$program.old" "$lib/unit.old"
}

install_files() {
  keep_previous "$program" "$program.old"
  write_wrapper >"$work/wrapper"
  chmod 755 "$work/wrapper"
  if [ -e "$work/mise" ]; then
    made_mise=$mise_version
    # Recorded first, so that an uninstallation finds it.
    write_facts
    mv -f "$work/mise" "$mise" || fail 13 "$mise cannot be written."
  fi
  write_facts
  mv -f "$work/install.sh" "$lib/install.sh"
  mv -f "$work/wrapper" "$wrapper" || fail 13 "$wrapper cannot be written."
  mv -f "$work/gantry-agent.mjs" "$program"
}

write_wrapper() {
  cat <<END
#!/bin/sh
GANTRY_HOME=\${GANTRY_HOME:-$home}
export GANTRY_HOME
# Less memory for an agent that is idle. No command of a project gets these variables.
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
exec $node --max-semi-space-size=2 --v8-pool-size=1 --no-maglev $program "\$@"
END
}

# Prints the policy that the options ask for.
print_policy() {
  if [ "$policy" = strict ]; then
    # shellcheck disable=SC2016
    "$node" -e '
      const [text, repositories] = process.argv.slice(1);
      const policy = JSON.parse(text);
      if (repositories) policy.repositories = repositories.split(",").map((one) => one.trim());
      console.log(JSON.stringify(policy, null, 2));
    ' '@STRICT_POLICY@' "$repositories"
    return
  fi
  cat <<'END'
{
  "version": 1,
  "repositories": "any",
  "branches": "any",
  "commits": "any",
  "build_commands": "any",
  "activate_commands": "any",
  "shared_paths": "any",
  "secrets": "any",
  "health_checks": "any",
  "remove_projects": "any",
  "limits": {}
}
END
}

write_policy() {
  mkdir -p "$settings" 2>/dev/null || fail 13 "$settings is not writable."
  chmod 755 "$settings"
  if [ -e "$settings/policy.json" ]; then
    if [ -n "$policy" ] && [ "$(print_policy)" != "$(cat "$settings/policy.json")" ]; then
      log "kept the policy of this server, $settings/policy.json: --policy $policy changes no existing one. To replace it, move the file away, and run: curl -fsSL $origin/install.sh | sh -s -- --policy $policy"
    fi
    return
  fi
  print_policy >"$settings/policy.json.new" || fail 13 "$settings is not writable."
  chmod 644 "$settings/policy.json.new"
  output=$("$node" "$work/gantry-agent.mjs" check-policy "$settings/policy.json.new" 2>&1) || {
    rm -f "$settings/policy.json.new"
    rmdir "$settings" 2>/dev/null || true
    fail 2 "the policy is refused, and nothing was installed. Check --repositories, which is a list such as 'https://github.com/you/*,git@github.com:you/*'. $output"
  }
  mv "$settings/policy.json.new" "$settings/policy.json"
}

# Lists of commands and the commands of repositories, which are stricter, stay.
allow_in_policy() {
  if [ -z "$rules" ]; then return; fi
  # shellcheck disable=SC2016,SC2086 # the rules are words
  "$node" -e '
    const { readFileSync, writeFileSync } = require("fs");
    const [path, ...rules] = process.argv.slice(1);
    const policy = JSON.parse(readFileSync(path, "utf8"));
    for (const rule of rules) if ((policy[rule] ?? "none") === "none") policy[rule] = "any";
    writeFileSync(path + ".new", JSON.stringify(policy, null, 2) + "\n");
  ' "$settings/policy.json" $rules || fail 1 "the rules for --allow-${rules##* } cannot be written into $settings/policy.json."
  chmod 644 "$settings/policy.json.new" && mv "$settings/policy.json.new" "$settings/policy.json"
  log "allowed by $settings/policy.json:$rules"
}

# What neither the agent nor the commands of projects may do.
confinement() {
  cat <<'END'
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
END
}

# Projects may be in a home folder.
protect_home() {
  case $home in /home/* | /root/* | /run/user/*) echo read-only ;; *) echo yes ;; esac
}

write_unit() {
  ingress_option=''
  if [ $wants_ingress = yes ]; then ingress_option=" --ingress $settings/ingress.json"; fi
  metrics_option=''
  if [ -n "$metrics" ]; then metrics_option=" --metrics $metrics"; fi
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To change it, use \`systemctl edit gantry-agent\`.
[Unit]
Description=Gantry agent
Documentation=$origin/docs
Wants=network-online.target gantry-isolate.socket
After=network-online.target gantry-isolate.socket
# Restart without a limit.
StartLimitIntervalSec=0

[Service]
Type=exec
User=$user
# Lets the agent change the folders that builds make. No project's user is a member.
SupplementaryGroups=$isolate_group
# Projects run as users of their own, for the helper at this socket. Without the option, they would share $user.
ExecStart=$wrapper run --home $home --policy $settings/policy.json --isolate $isolate_socket --slots /run/gantry/slots$ingress_option$metrics_option
# NODE_EXTRA_CA_CERTS; for git and builds HTTPS_PROXY, SSL_CERT_FILE ...; for git GIT_SSH_COMMAND ...
EnvironmentFile=-$settings/agent.env
Restart=always
RestartSec=5
# 78: a person has to change something first. 2: this unit is wrong.
RestartPreventExitStatus=78 2
# The agent stops its commands itself, with 10 s of grace, and reports them. Processes that an activate command
# started should keep running, so only the agent gets a signal. If it dies, its builds are ended afterwards.
KillMode=process
TimeoutStopSec=30
ExecStopPost=-$wrapper end-builds --home $home --isolate $isolate_socket
# If git uses all memory, git is killed, not the agent.
OOMPolicy=continue
UMask=0022
# Which instances of apps get the requests. Kept while the agent is restarted, because a web server reads it.
RuntimeDirectory=gantry
RuntimeDirectoryPreserve=yes
# ProtectHome may hide the user's own home folder.
Environment=HOME=$home
# Node keeps the compiled agent, so that the next start takes less time.
Environment=NODE_COMPILE_CACHE=$home/.compile-cache

# The agent and git may write below $home and to a private /tmp, and nowhere else.
ProtectSystem=strict
ReadWritePaths=$home
ProtectHome=$(protect_home)
# Not PrivateTmp, which is deleted when the service stops: apps that keep running need their files.
BindPaths=$home/.tmp:/tmp $home/.tmp:/var/tmp
PrivateDevices=yes
$(confinement)
# Not MemoryDenyWriteExecute: Node and many builds compile code at run time.

[Install]
WantedBy=multi-user.target
END
}

# The process that uses the home folder, even if the service did not start it.
agent_pid() {
  as_user "$node" "$1" status --home "$home" 2>/dev/null </dev/null | sed -n 's/.*process \([0-9][0-9]*\).*/\1/p'
}

service_pid() {
  systemctl show --property=MainPID --value gantry-agent 2>/dev/null || true
}

# $1: the program that asks
refuse_agent_by_hand() {
  pid=$(agent_pid "$1")
  if [ -n "$pid" ] && [ "$pid" != "$(service_pid)" ]; then
    fail 11 "an agent already uses $home as process $pid, but not as the service. Stop it, and run the same line again."
  fi
}

# Restarts the service and waits. 0: connected. 3: running, but not connected. 12: not running.
start_service() {
  systemctl restart gantry-agent || return 12
  output='' up=12 waited=0
  while [ $waited -lt $((start_seconds * 2)) ]; do
    output=$(as_user "$node" "$program" status --home "$home" 2>&1 </dev/null) || true
    case $output in
      'connected to'*) return 0 ;;
      'not connected'*) up=3 ;;
      *) up=12 ;;
    esac
    # The agent has ended and logged the reason.
    if systemctl is-failed --quiet gantry-agent; then return 12; fi
    sleep 0.5 2>/dev/null || sleep 1
    waited=$((waited + 1))
  done
  return $up
}

last_log_lines() {
  journalctl --unit=gantry-agent --lines=12 --output=cat --no-pager 2>/dev/null || true
}

# The helper (isolate.sh), which root owns and which runs each project's commands as the project's user.
write_isolate() {
  sed "s,^home=%HOME%\$,home=$home,; s,^agent=%USER%\$,agent=$user,; s,^app_life=%APP_LIFE%\$,app_life=$app_life," <<'END'
@ISOLATE_HELPER@
END
}

write_app_life() {
  cat <<'END'
@APP_LIFE@
END
}

write_isolate_socket() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update.
[Unit]
Description=Runs projects as their own users, for the Gantry agent

[Socket]
ListenStream=$isolate_socket
SocketUser=$user
SocketMode=0600
Accept=yes
MaxConnections=512
# The agent asks for many projects at once when it starts. systemd would close the socket and not open it again.
TriggerLimitIntervalSec=0
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
END
}

write_isolate_service() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update.
[Unit]
Description=A request of the Gantry agent
CollectMode=inactive-or-failed

[Service]
ExecStart=$isolate
StandardInput=socket
StandardOutput=socket
StandardError=journal
OOMScoreAdjust=-100
MemoryMax=512M
END
}

# For all units whose names begin with gantry-$1-. Values that depend on the project are set by the helper.
write_sandbox() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To change it, add another file to this folder.
[Service]
UMask=0022
# Of what the agent has, a unit sees only its project's releases, shared files and home folder. It may write to its own
# release and the latter two.
ProtectSystem=strict
ProtectHome=tmpfs
InaccessiblePaths=-/run/gantry -/run/gantry-ingress -/run/gantry-isolate -$isolate_socket -$settings -/run/dbus -/run/systemd/private
PrivateDevices=yes
TemporaryFileSystem=/dev/shm:mode=1777
PrivateIPC=yes
$(confinement)
END
  case $1 in
    build)
      cat <<END
KillMode=mixed
# The first process gets the stop signal from systemd, and the others from this when they are left. What is left after
# that is killed.
ExecStopPost=-+$app_life left %n
TimeoutStopSec=11
# At the memory limit the build ends, and if the server has no memory left, a build is the first to end.
OOMPolicy=stop
OOMScoreAdjust=500
IOWeight=50
END
      ;;
    read)
      cat <<END
# As a build. Nothing of a repository is lost when its reading ends at once.
TimeoutStopSec=2
OOMPolicy=stop
OOMScoreAdjust=500
IOWeight=50
END
      ;;
    command | job)
      cat <<END
KillMode=mixed
# The first process gets the stop signal from systemd, and the others from this when they are left. What is left after
# that is killed.
ExecStopPost=-+$app_life left %n
TimeoutStopSec=11
# A supervisor of several processes decides itself what to do without one of them.
OOMPolicy=continue
OOMScoreAdjust=100
END
      ;;
    app)
      cat <<END
Restart=always
RestartSec=200ms
# The delay before each restart of an instance, which grows up to 60 s, and the record of how it ended.
ExecStartPre=-+$app_life before %n
ExecStop=-+$app_life stop %n
ExecStopPost=-+$app_life after %n
TimeoutStartSec=120
# What is left after that is killed.
KillMode=mixed
# Its script sends its output to the project's folder logs.
StandardOutput=null
StandardError=null
CPUAccounting=yes
MemoryAccounting=yes
# An app with several processes decides itself what to do without one of them.
OOMPolicy=continue
OOMScoreAdjust=100

[Unit]
# Restart without a limit, and leave nothing behind when it is stopped.
StartLimitIntervalSec=0
CollectMode=inactive-or-failed
END
      ;;
  esac
}

# Writes the standard input to the file $1 with the mode $2, atomically.
place() {
  cat >"$1.new" || fail 13 "$1 cannot be written."
  chmod "$2" "$1.new"
  mv -f "$1.new" "$1"
}

install_isolation() {
  getent group "$isolate_group" >/dev/null || groupadd --system "$isolate_group" ||
    fail 1 "the group $isolate_group cannot be created."
  write_isolate | place "$isolate" 755
  write_app_life | place "$app_life" 755
  write_isolate_socket | place /etc/systemd/system/gantry-isolate.socket 644
  write_isolate_service | place /etc/systemd/system/gantry-isolate@.service 644
  for kind in build read command app job; do
    mkdir -p "/etc/systemd/system/gantry-$kind-.service.d"
    write_sandbox $kind | place "/etc/systemd/system/gantry-$kind-.service.d/10-gantry.conf" 644
  done
  systemctl daemon-reload
  systemctl enable --quiet --now gantry-isolate.socket || fail 1 "gantry-isolate.socket does not start."
}

remove_isolation() {
  systemctl disable --now --quiet gantry-isolate.socket 2>/dev/null || true
  # Without the helper nobody could stop them.
  systemctl stop 'gantry-app-*' 2>/dev/null || true
  rm -rf "$isolate" "$app_life" /etc/systemd/system/gantry-isolate.socket /etc/systemd/system/gantry-isolate@.service \
    /etc/systemd/system/gantry-build-.service.d /etc/systemd/system/gantry-read-.service.d \
    /etc/systemd/system/gantry-command-.service.d \
    /etc/systemd/system/gantry-app-.service.d /etc/systemd/system/gantry-job-.service.d /run/gantry-isolate "$isolate_socket"
}

# Ends what projects run, and deletes their users.
remove_project_users() {
  systemctl stop 'gantry-build-*' 'gantry-read-*' 'gantry-command-*' 'gantry-job-*' 2>/dev/null || true
  systemctl reset-failed 'gantry-build-*' 'gantry-read-*' 'gantry-command-*' 'gantry-job-*' 2>/dev/null || true
  systemctl stop gantry.slice 2>/dev/null || true
  getent passwd | awk -F : -v home="$home/projects/" '$1 ~ /^proj_[0-9a-z]+$/ && index($6, home) == 1 { print $1 }' |
    while read -r project; do
      userdel "$project" 2>/dev/null ||
        log "the user $project is kept, because processes of it run. End them, and run: userdel $project"
    done
  if getent group "$isolate_group" >/dev/null; then groupdel "$isolate_group"; fi
}

run_service() {
  install_isolation
  install_ingress
  keep_previous "$unit" "$lib/unit.old"
  write_unit >"$work/unit"
  cp "$work/unit" "$unit.new" || fail 13 "$unit cannot be written."
  chmod 644 "$unit.new"
  mv -f "$unit.new" "$unit"
  # Old files in the private /tmp are deleted as in the system's.
  printf '%s\n' "d $home/.tmp 0700 $user $(id -gn "$user") 10d" >"$tmpfiles.new"
  mv -f "$tmpfiles.new" "$tmpfiles"
  systemctl daemon-reload
  if [ $is_started = no ]; then
    forget_previous
    log "installed. Start it with: systemctl enable --now gantry-agent"
    return
  fi
  systemctl enable --quiet gantry-agent
  if start_service; then result=0; else result=$?; fi
  case $result in
    0) log "$output" ;;
    3)
      forget_previous
      fail 3 "the service runs, but is $output. It keeps trying. See its log: journalctl -u gantry-agent"
      ;;
    *)
      reason=$(last_log_lines)
      if [ -f "$program.old" ]; then
        mv -f "$program.old" "$program"
        # The previous version may not know all options of the new unit.
        if [ -f "$lib/unit.old" ]; then mv -f "$lib/unit.old" "$unit"; fi
        systemctl daemon-reload
        systemctl restart gantry-agent || true
        fail 12 "the agent $agent_version does not start, so the previous version was put back. $reason"
      fi
      fail 12 "the agent does not start. $reason"
      ;;
  esac
  forget_previous
}

print_how_to_run() {
  forget_previous
  log "installed $wrapper, for $user."
  pid=$(agent_pid "$program")
  if [ -n "$pid" ]; then
    log "process $pid still runs the previous version: restart it."
  fi
  log "run it with: $wrapper run"
}

# Without a token, the server must be enrolled with this control plane already: each control plane has its own agent.
check_enrolment() {
  if [ -n "$token" ]; then return; fi
  if ! [ -e "$home/agent.json" ]; then
    fail 9 "this server is not enrolled, and no enrolment token was given. Create one with POST /v1/servers, or POST /v1/servers/{id}/enrollment for an existing server, and set it as GANTRY_TOKEN."
  fi
  other=$(sed -n 's/.*"url": "\([^"]*\)".*/\1/p' "$home/agent.json" 2>/dev/null) || true
  if [ "$other" != "$origin" ]; then
    fail 9 "this server is enrolled with $other, but this is the agent of $origin. Run the install line of $other to update it, or set an enrolment token of $origin as GANTRY_TOKEN."
  fi
}

install_agent() {
  check_machine
  check_tools
  check_enrolment
  fetch_agent
  prepare_ingress
  fetch_mise
  plan_making
  if [ $is_service = yes ]; then
    make_user
    make_home
    check_home
    refuse_agent_by_hand "$work/gantry-agent.mjs"
    write_policy
    allow_in_policy
  else
    make_home
  fi
  enrol
  install_files
  if [ $is_service = yes ]; then run_service; else print_how_to_run; fi
}

# --- removal ---

uninstall_agent() {
  # The installation's record decides.
  if [ "$(fact service)" = no ]; then is_service=no; fi
  [ $is_service = no ] || [ "$(id -u)" -eq 0 ] ||
    fail 6 "root is required: run the same line as root, or add --no-service if the agent was installed with it."
  if ! is_installed; then
    fail 16 "no agent in $prefix and no agent's files in $home: nothing was removed. If the agent was installed with --no-service, --prefix or --home, run the same line with these options too."
  fi
  node=$(command -v node || command -v nodejs || true)
  server=$(sed -n 's/.*"server_id": "\([a-z0-9_]*\)".*/\1/p' "$home/agent.json" 2>/dev/null || true)
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  if [ $is_service = yes ]; then
    if [ -e "$program" ] && [ -n "$node" ]; then refuse_agent_by_hand "$program"; fi
    if [ -e "$unit" ]; then
      systemctl disable --now --quiet gantry-agent || true
      rm -rf "$unit" "$tmpfiles" /run/gantry
    fi
    if [ $is_purge = yes ]; then
      end_apps
      remove_project_users
    fi
    remove_ingress
    remove_isolation
    systemctl daemon-reload
  fi
  if [ -e "$program" ] && [ -n "$node" ]; then
    pid=$(agent_pid "$program")
    [ -z "$pid" ] || fail 11 "an agent uses $home as process $pid. Stop it, and run the same line again."
    # Without the service, a process of the agent's user runs the instances of processes.
    if [ $is_service = no ] && [ -e "$home/supervisor.json" ]; then
      "$node" "$program" end-apps --home "$home" || fail 11 "the apps in $home do not end."
    fi
  fi
  # The installation's record stays as long as there is something to purge.
  if [ -n "$made_mise" ]; then
    rm -f "$mise" || fail 13 "$mise cannot be removed."
    # A mise that somebody installs there later is not removed.
    forget_facts made_mise
  fi
  remove_drafts
  rm -rf "$program" "$program.old" "$lib/unit.old" "$lib/install.sh" "$wrapper" || fail 13 "$prefix is not writable."
  if [ $is_purge = yes ]; then
    # In a folder that existed before, only the agent's files are removed.
    if [ "$made_home" = yes ]; then
      rm -rf "$home" || fail 13 "$home cannot be removed."
    else
      for name in projects git-ssh agent.json agent.lock supervisor.json supervisor.lock supervisor.sock supervisor.log supervisor.log.1 link.json enrolling.json seal.json ingress slots tools .mise .tmp .compile-cache; do rm -rf "${home:?}/$name"; done
    fi
    if [ $is_service = yes ]; then
      rm -rf "$settings"
      if [ "$made_user" = yes ] && id "$user" >/dev/null 2>&1; then userdel "$user"; fi
    fi
    rm -rf "$lib"
  fi
  remove_empty_prefix
  log "removed the agent."
  if [ $is_purge = no ] && [ -e "$home" ]; then
    log "kept: $home, with the projects' files and this server's enrolment$(left_of_service)."
    log "to remove these too, run: curl -fsSL $origin/install.sh | sh -s -- --uninstall --purge$(same_place)"
  fi
  if [ -n "$server" ]; then log "the control plane still lists this server. To remove it: DELETE $origin/v1/servers/$server"; fi
}

# Processes that activate commands started keep running without the service, in its control group. systemd forgets the
# group of a stopped unit, so it is read here: with cgroup v2, and with v1.
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

# Whether any part of an installation exists.
is_installed() {
  for path in "$program" "$wrapper" "$facts" "$home/agent.json" "$home/projects"; do
    if [ -e "$path" ]; then return 0; fi
  done
  [ $is_service = yes ] && [ -e "$unit" ]
}

left_of_service() {
  if [ $is_service = no ]; then return; fi
  printf '%s' "; $settings; the user $user"
  if [ -e "$ingress_state" ]; then printf '%s' "; $ingress_state, with the certificates"; fi
}

same_place() {
  if [ $is_service = no ]; then printf ' --no-service'; fi
  case $prefix in /usr/local | "${HOME:-}/.local") ;; *) printf ' --prefix %s' "$prefix" ;; esac
}

main() {
  # Independent of root's umask: the service's user must be able to read the installed files.
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
