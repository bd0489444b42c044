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
