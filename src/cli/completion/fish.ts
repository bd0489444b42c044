import { type Completions, wordsToScan } from "#cli/completion/completions.ts";

/** A completion script for fish 3 or newer. */
export function fishScript(completions: readonly Completions[]): string {
  const { paths, taking } = wordsToScan(completions);
  const lines = completions.flatMap(({ path, words, options }) => {
    const when = `-n ${quote(`__gantry_is ${quote(path)}`)}`;
    return [
      ...words.map(({ word, help }) => `complete -c gantry -f ${when} -a ${quote(word)} -d ${quote(help)}`),
      ...options.map(({ word, short, help, values }) => {
        const names = `-l ${word.slice(2)}${short === null ? "" : ` -s ${short.slice(1)}`}`;
        const takes = values === null ? "" : ` -x -a ${quote(values.join(" "))}`;
        return `complete -c gantry -f ${when} ${names}${takes} -d ${quote(help)}`;
      }),
    ];
  });
  return `# gantry completion for fish
function __gantry_path
  set -l path
  set -l isValue 0
  for word in (commandline -opc)[2..-1]
    if test $isValue = 1
      set isValue 0
      continue
    end
    switch $word
      case ${taking.map(quote).join(" ")}
        set isValue 1
        continue
      case '-*'
        continue
    end
    set -l next (string join ' ' $path $word)
    contains -- $next ${paths.map(quote).join(" ")}
    or break
    set path (string split ' ' -- $next)
  end
  string join ' ' $path
end
function __gantry_is
  test "$(__gantry_path)" = "$argv[1]"
end
${lines.join("\n")}
`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
