import * as z from "zod/mini";

import { fitText } from "#domain/notify/limit-text.ts";
import { levelSymbols, type Message } from "#domain/notify/message.ts";

const MAX_SUBJECT = 200;

/** A mail, without its sender. It is the body of a request to an address such as `mailto:ops@example.com`. */
export const Mail = z.strictObject({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
});
export type Mail = z.infer<typeof Mail>;

/** A mail with the same content as text and as HTML. */
export function mailOf(message: Message, to: string): Mail {
  const { level, title, lines, code, fields, links } = message;
  const text = [
    title,
    ...lines,
    ...(code === null ? [] : [`    ${code}`]),
    fields.map(({ name, value }) => `${name}: ${value}`).join("\n"),
    links.map((link) => `${link.text}: ${link.url}`).join("\n"),
  ];
  const html = [
    `<h2>${levelSymbols[level]} ${escaped(title)}</h2>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    ...(code === null ? [] : [`<pre>${escaped(code)}</pre>`]),
    ...(fields.length === 0 ? [] : [`<table>${fields.map(rowOf).join("")}</table>`]),
    `<p>${links.map((link) => `<a href="${escaped(link.url)}">${escaped(link.text)}</a>`).join(" · ")}</p>`,
  ];
  return {
    to,
    subject: fitText(`[Gantry] ${title}`, MAX_SUBJECT),
    text: `${text.filter((part) => part !== "").join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${html.join("\n")}\n</body></html>\n`,
  };
}

const rowOf = ({ name, value }: Message["fields"][number]) =>
  `<tr><th align="left">${escaped(name)}</th><td>${escaped(value)}</td></tr>`;

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
