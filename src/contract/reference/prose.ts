/** Markdown in a template literal: joins the lines of each paragraph and of each list item (`- `) with spaces. */
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
