# --- ingress ---

# Checks what --ingress needs, and finds or downloads Caddy. Changes nothing of the system.
prepare_ingress() {
  if [ $wants_ingress = no ]; then return; fi
  check_trust
  check_ports
  find_caddy
}

check_trust() {
  for range in $trust; do
    "$node" -e 'const [address, bits] = process.argv[1].split("/"); new net.BlockList().addSubnet(address, +bits, net.isIPv6(address) ? "ipv6" : "ipv4");' "$range" 2>/dev/null ||
      fail 2 "--ingress-trust: $range is not a range of IP addresses. Nothing was installed."
  done
}

# The ports of the ingress: from its settings, or the usual ports.
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

# The port for balancers of Gantry; nothing without TLS, where there are none.
fleet_port() {
  if [ "$(ingress_ports | wc -l)" -lt 2 ]; then return; fi
  set_port=$(sed -n 's/.*"fleet_port": *\([0-9]*\).*/\1/p' "$settings/ingress.json" 2>/dev/null || true)
  echo "${set_port:-8443}"
}

# Whether no program listens on the port $1.
is_port_free() {
  "$node" -e 'net.createServer().once("error", () => process.exit(1)).listen(+process.argv[1], () => process.exit(0))' "$1"
}

# The program that listens on the port $1.
holder_of() {
  holder=$(ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1 (process \2)/p' | head -n 1)
  echo "${holder:-another program}"
}

check_ports() {
  if systemctl is-active --quiet gantry-ingress; then return; fi
  for port in $(ingress_ports); do
    is_port_free "$port" ||
      fail 15 "the ingress needs port $port, which $(holder_of "$port") uses. Stop it, or keep it in front with --ingress-listen 127.0.0.1:8080: $origin/docs says how. Nothing was installed."
  done
  # Most servers are never behind a balancer.
  for port in $(fleet_port); do
    is_port_free "$port" ||
      log "note: $(holder_of "$port") uses port $port, where balancers of Gantry would reach this server. If it will have one, stop the program, or set another \"fleet_port\" in $settings/ingress.json."
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

# What the agent and Caddy agree on. The owner may edit it, so options change only their own settings. An issuer without
# --ingress-listen means TLS.
write_ingress_settings() {
  file=$settings/ingress.json
  if [ -e "$file" ] && [ -z "$issuer$listen$trust" ]; then return; fi
  # shellcheck disable=SC2086 # one argument for each range
  written=$("$node" -e '
    const [file, issuer, listen, ...trust] = process.argv.slice(1);
    const sockets = { admin: "/run/gantry-ingress/admin.sock", check: "/run/gantry-ingress/check.sock" };
    const { listen: before, ...kept } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    const address = listen || (issuer ? undefined : before);
    const settings = { ...sockets, issuer: "acme", ...kept, ...(issuer && { issuer }), listen: address };
    console.log(JSON.stringify({ ...settings, ...(trust.length > 0 && { trust }) }, null, 2));
  ' "$file" "$issuer" "$listen" $trust 2>/dev/null) || fail 13 "$file is not valid JSON. Correct it, or delete it."
  printf '%s\n' "$written" | place "$file" 644
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
