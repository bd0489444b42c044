/**
 * The shell scripts that copy files between a release and the project's cache. With isolation they run as the project's
 * user, who made the files, so that no link that a build has left leads the agent or root anywhere.
 */

/** Copies share blocks where the file system can, but never a file: a build may write into what it gets. */
const copy = `
set -eu
case $(cp --help 2>&1) in
  *--reflink*) copy() { cp -a --reflink=auto -- "$1" "$2"; } ;;
  *) copy() { cp -pPR -- "$1" "$2"; } ;;
esac
`;

/**
 * Makes a folder of the release the working folder, and creates it if needed. It does not follow links: the folder is in
 * the release, whatever a repository has put in its place.
 */
const enter = `
enter() {
  cd -P -- "$1"
  rest=$2
  while [ "$rest" != . ]; do
    part=\${rest%%/*}
    case $rest in */*) rest=\${rest#*/} ;; *) rest=. ;; esac
    if [ -L "$part" ]; then echo "$part is a link" >&2; exit 1; fi
    if ! [ -d "$part" ]; then mkdir -- "./$part"; fi
    cd -P -- "./$part"
  done
}
`;

/**
 * Arguments: cache, name of the entry, release, the most KiB, the release's path in text files, and the paths to store.
 * Prints \`stored <KiB>\`, or \`large <KiB>\`. Links into a release are refused, because a copy of them leads to the old one.
 */
export const storeScript = `${copy}
cache=$1 entry=$1/$2 part=$1/$2.part release=$3 most=$4 own=$5
shift 5
cd -P -- "$release"
size() { du -sck -- "$@" | tail -n 1 | cut -f 1; }
size=$(size "$@")
if [ "$size" -gt "$most" ]; then echo "large $size"; exit 0; fi
mkdir -p -- "$cache"
rm -rf -- "$part" "$entry"
mkdir -- "$part" "$part/files"
trap 'rm -rf -- "$part"' EXIT
trap 'exit 1' TERM INT
for path; do
  mkdir -p -- "$part/files/$(dirname -- "$path")"
  copy "./$path" "$part/files/$path"
done
cd "$part/files"
if find . -type l -exec ls -ld -- {} + | grep -F -- " -> \${own%/*/}/" >&2; then exit 1; fi
grep -rlIF -- "$own" . >../texts || [ $? -eq 1 ]
cd "$cache"
mv -- "$part" "$entry"
trap - EXIT
echo "stored $size"
`;

/**
 * Arguments: folder of the entry, release, \`new\` or \`replace\`, a sed expression, and the paths to restore. Text files
 * that contain the path of the release that they were made in, such as those in \`.venv/bin\`, get that of this one.
 * Removes what it has copied if it fails.
 */
export const restoreScript = `${copy}${enter}
entry=$1 release=$2 mode=$3 edit=$4
shift 4
cd -P -- "$release"
if [ "$mode" = new ]; then
  for path; do
    if [ -e "$path" ] || [ -L "$path" ]; then echo "$path exists" >&2; exit 1; fi
  done
fi
undo() {
  for path; do (enter "$release" "$(dirname -- "$path")" && rm -rf -- "./\${path##*/}") || true; done
}
trap 'undo "$@"' EXIT
trap 'exit 1' TERM INT
for path; do
  (
    enter "$release" "$(dirname -- "$path")"
    name=\${path##*/}
    rm -rf -- "./$name"
    copy "$entry/files/$path" "./$name"
  )
done
if [ -s "$entry/texts" ]; then
  tr '\\n' '\\0' <"$entry/texts" | xargs -0 sed -i -e "$edit" --
fi
trap - EXIT
echo restored
`;

/** The sed expression that replaces a text by another one. */
export function replaceExpression(text: string, by: string): string {
  const pattern = text.replace(/[\\/.*[\]^$]/g, String.raw`\$&`);
  const replacement = by.replace(/[\\/&]/g, String.raw`\$&`);
  return `s/${pattern}/${replacement}/g`;
}
