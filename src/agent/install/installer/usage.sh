#!/bin/sh
# The whole script is one group, so that a shell that receives only a part of it runs nothing.
{
set -eu

# Filled in by the installation that serves this script (scripts/shared/build-agent.ts,
# src/worker/routes/programs.ts).
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

# Builds and runs containers. Older versions mix up the containers of a user.
oldest_podman=5.0

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
  --with-containers   installs podman too: projects can then be built from a Dockerfile, or run an image. Needs Debian 13 or newer
  --ingress       installs Caddy $caddy_version too, as a service that leads the domains of projects to them, with TLS
  --ingress-issuer internal   with certificates of the server's own authority, not of Let's Encrypt
  --ingress-listen ADDRESS:PORT   without TLS at this address, behind a web server of yours
  --ingress-trust RANGE   believes X-Forwarded-* of load balancers in this range of addresses, such as 10.0.0.0/16; may be repeated
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
ports are in use, or Caddy is too old; 16 there is no agent to uninstall in these folders; 17 containers cannot run here.
END
}

log() { printf '%s\n' "gantry: $*"; }
fail() {
  code=$1
  shift
  printf '%s\n' "gantry: $*" >&2
  exit "$code"
}
