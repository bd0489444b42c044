/** Text in Markdown over several lines of code: a line break is a space, an empty line a paragraph, `- ` an item. */
export function prose(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: strings.map((string) => string) }, ...values)
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .split(/\n(?=\s*- )/)
        .map((line) => line.trim().replace(/\s*\n\s*/g, " "))
        .join("\n"),
    )
    .join("\n\n");
}
