/** Letters that mean the same in and outside of a shell. */
const PLAIN = /^[\w@%+:,./=\- \t'"]*$/;

/**
 * A command line as the words of a container's command, which replace the command of its image. A line with shell syntax
 * becomes a command of the image's shell. Equal to what a shell makes of the line.
 */
export function commandWords(line: string): readonly string[] {
  return readWords(line) ?? ["/bin/sh", "-c", line];
}

/** @returns null if a shell must read the line */
function readWords(line: string): readonly string[] | null {
  if (!PLAIN.test(line)) return null;
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const found = /^(?:[^\s'"]|'[^']*'|"[^"]*")+/.exec(rest);
    // A quote that does not end.
    if (found === null) return null;
    const [text] = found;
    words.push(
      text.replaceAll(
        /'([^']*)'|"([^"]*)"/g,
        (_, single?: string, double?: string) => single ?? double ?? "",
      ),
    );
    const after = rest.slice(text.length);
    if (after !== "" && !/^\s/.test(after)) return null;
    rest = after.trimStart();
  }
  const [first] = words;
  // A variable before the command.
  return first === undefined || first.includes("=") ? null : words;
}
