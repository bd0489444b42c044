import { Marked, type Tokens } from "marked";

import { textBlock } from "../html/code.ts";
import { Html, html } from "../html/escape.ts";
import { HeadingIds } from "./heading-ids.ts";
import { plainText } from "./plain-text.ts";

export type Heading = { readonly id: string; readonly title: string; readonly depth: number };
/** A heading with the text below it, for the search. */
export type Section = Heading & { readonly text: string };
export type RenderedGuide = {
  readonly title: string;
  readonly content: Html;
  /** The first one is the title, with the text before the next heading. */
  readonly sections: readonly Section[];
};

export type GuideLinks = {
  /** The address of a link; null if its target is not served. */
  readonly addressOf: (link: string) => string | null;
  /** What a link shows instead of its text; null: its text. */
  readonly titleOf: (text: string) => string | null;
  /** The size of an image in pixels, by its address, so that the page does not move when it has loaded. */
  readonly sizeOf: (address: string) => { readonly width: number; readonly height: number };
};

/** Renders a Markdown document of this repository. */
export function renderGuide(source: string, { addressOf, titleOf, sizeOf }: GuideLinks): RenderedGuide {
  const headings = new Map<Tokens.Heading, Heading>();
  const marked = new Marked({
    renderer: {
      heading(token) {
        const id = headings.get(token)?.id;
        if (id === undefined) throw new Error("A heading of a guide must not be inside of another block.");
        const text = new Html(this.parser.parseInline(token.tokens));
        if (token.depth === 1) return html`<h1 id="${id}">${text}</h1>`.text;
        const tag = new Html(`h${token.depth}`);
        return html`<${tag} id="${id}"><a class="anchor" href="#${id}">${text}</a></${tag}>`.text;
      },
      code: ({ text }) => textBlock(text).text,
      link({ href, text: label, tokens }) {
        const text = html`${titleOf(label) ?? new Html(this.parser.parseInline(tokens))}`;
        const address = addressOf(href);
        return (address === null ? text : html`<a href="${address}">${text}</a>`).text;
      },
      image({ href, text }) {
        const address = addressOf(href);
        if (address === null) throw new Error(`The image ${href} is not served.`);
        const { width, height } = sizeOf(address);
        return html`<img src="${address}" alt="${text}" width="${width}" height="${height}" loading="lazy" />`
          .text;
      },
    },
  });
  const tokens = marked.lexer(source);
  const ids = new HeadingIds();
  const sections: { heading: Heading; texts: string[] }[] = [];
  for (const token of tokens) {
    if (!isHeading(token)) {
      sections.at(-1)?.texts.push(plainText(token.raw));
      continue;
    }
    const title = plainText(token.text).trim();
    const heading = { id: ids.next(title), title, depth: token.depth };
    headings.set(token, heading);
    sections.push({ heading, texts: [] });
  }
  const [first] = sections;
  if (first?.heading.depth !== 1) throw new Error("A guide must start with its title.");
  return {
    title: first.heading.title,
    content: new Html(inScrollers(marked.parser(tokens))),
    sections: sections.map(({ heading, texts }) => ({ ...heading, text: texts.join(" ") })),
  };
}

function isHeading(token: { readonly type: string }): token is Tokens.Heading {
  return token.type === "heading";
}

/** The header that Markdown requires, of a table that needs none. */
const EMPTY_HEADER = /<thead>\s*<tr>(?:\s*<th[^>]*><\/th>)+\s*<\/tr>\s*<\/thead>/g;

/** Wide tables scroll on narrow screens. The code of examples is escaped, so it has no tables. */
function inScrollers(page: string): string {
  return page
    .replace(EMPTY_HEADER, "")
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}
