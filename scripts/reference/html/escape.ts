/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/** A template tag for HTML. Inserted text is escaped, inserted HTML is not, and null is empty. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(render).join("");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
