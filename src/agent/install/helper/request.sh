# Reads a line byte by byte, because what follows it belongs to another reader.
# shellcheck disable=SC2016
read_line() { timeout 10 sh -c 'IFS= read -r line; printf "%s" "$line"' || true; }

refuse_request() { answer "refused: not a request"; }

# Every field of a request, as JSON. No value needs an escape, and none has a comma or a character that the shell expands.
whole='[1-9][0-9]'
field='"verb":"[a-z_]+"'
field="$field|\"project\":\"proj_[0-7][0-9a-hjkmnp-tv-z]{25}\""
field="$field|\"version\":$whole{0,14}"
field="$field|\"kind\":\"(build|cache|command|job)\""
field="$field|\"engine\":\"podman\""
field="$field|\"number\":$whole{0,5}"
field="$field|\"instance\":\"[a-z][a-z0-9_-]{0,29}-$whole{0,14}-[0-9]{1,2}\""
field="$field|\"marker\":\"[a-z][a-z0-9_-]{0,99}\""
field="$field|\"memory_mb\":(null|$whole{0,7})"
field="$field|\"cpu_weight\":$whole{0,4}"
field="$field|\"tasks\":$whole{0,6}"
field="$field|\"stop_signal\":\"SIG(TERM|INT|QUIT|HUP|USR1|USR2)\""
field="$field|\"stop_seconds\":(0|$whole{0,2})"
field="$field|\"port\":$whole{0,4}"
field="$field|\"inside\":$whole{0,4}"
field="$field|\"job_bytes\":$whole{0,6}"
field="$field|\"path_bytes\":$whole{0,3}"
# As in the patterns above. A request may have them in any order.
order='project version kind engine number instance marker memory_mb cpu_weight tasks stop_signal stop_seconds port inside job_bytes path_bytes'

# Reads a request into variables with the names of its fields, which nothing can change afterwards.
read_request() {
  line=$(read_line)
  fields=${line#\{}
  fields=${fields%\}}
  case $fields in *,) refuse_request ;; esac
  [ "{$fields}" = "$line" ] || refuse_request
  IFS=,
  # shellcheck disable=SC2086
  set -- $fields
  unset IFS
  [ "$(printf '%s\n' "$@" | grep -cxE "$field")" = $# ] || refuse_request
  names=' '
  # What a request does not have is empty, whatever the environment says.
  verb='' project='' version='' kind='' engine='' number='' instance='' marker='' memory_mb='' cpu_weight='' tasks=''
  stop_signal='' stop_seconds='' port='' inside='' job_bytes='' path_bytes=''
  for text; do
    name=${text#\"}
    name=${name%%\"*}
    case $names in *" $name "*) refuse_request ;; esac
    names="$names$name "
    value=${text#*:}
    value=${value#\"}
    readonly "$name=${value%\"}"
  done
  shape=$verb
  for name in $order; do
    case $names in *" $name "*) shape="$shape $name" ;; esac
  done
  limits='memory_mb cpu_weight tasks'
  case $shape in
    show | list | 'list project') ;;
    'running project' | 'discard project' | 'remove project' | 'own project version' | 'read project path_bytes') ;;
    "run project version kind number marker $limits job_bytes") ;;
    "run project version kind engine number marker $limits job_bytes")
      case $kind in build | job) ;; *) refuse_request ;; esac
      ;;
    "start project version instance $limits stop_signal stop_seconds job_bytes") ;;
    "start project version engine instance $limits stop_signal stop_seconds job_bytes") ;;
    'stop project instance' | 'listens project instance port' | 'listens project instance port inside' | 'ports project instance') ;;
    'end_build project' | 'end_commands project' | 'end_release project version' | 'end_run project marker') ;;
    'end_jobs project' | 'end_job project marker') ;;
    *) refuse_request ;;
  esac
}
