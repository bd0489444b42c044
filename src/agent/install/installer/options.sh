# --- options ---

read_options() {
  token=${GANTRY_TOKEN:-}
  # Commands that this script starts do not need the token in their environment.
  unset GANTRY_TOKEN
  action=install is_service=yes is_started=yes is_purge=no wants_mise=no wants_ingress=no wants_containers=no policy='' repositories='' rules='' metrics='' issuer='' listen='' trust='' prefix='' home='' user=''
  while [ $# -gt 0 ]; do
    case $1 in
      --token | --prefix | --home | --user | --policy | --repositories | --ingress-issuer | --ingress-listen | --ingress-trust | --metrics)
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
          --ingress-trust) add_trust "$2" ;;
        esac
        shift 2
        ;;
      --no-service) is_service=no && shift ;;
      --no-start) is_started=no && shift ;;
      --with-mise) wants_mise=yes && shift ;;
      # Without the rule, a policy that limits what runs would refuse them.
      --with-containers) wants_containers=yes rules="$rules containers" && shift ;;
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
  if [ $is_service = no ] && [ $wants_containers = yes ]; then
    fail 4 "--with-containers needs systemd and a user for each project, and so cannot be used with --no-service."
  fi
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

# prepare_ingress checks the addresses, which needs Node.
add_trust() {
  if ! printf '%s' "$1" | grep -qxE '[0-9A-Fa-f:.]{2,45}/[1-9][0-9]{0,2}'; then
    fail 2 "--ingress-trust needs a range of IP addresses, such as 10.0.0.0/16, not $1."
  fi
  trust="$trust $1" wants_ingress=yes
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
  if [ -e "$lib/containers.conf" ] && [ $is_service = yes ]; then wants_containers=yes; fi
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
  containers_conf=$lib/containers.conf
  registries_conf=/etc/containers/registries.conf.d/050-gantry.conf
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
