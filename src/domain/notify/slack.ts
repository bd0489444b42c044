import { fitText } from "#domain/notify/limit-text.ts";
import { levelSymbols, type Message } from "#domain/notify/message.ts";

/** Limits of Slack's blocks. Sources: Slack's Block Kit reference, "Header", "Section" and "Text object". */
const MAX_HEADER = 150;
const MAX_TEXT = 3000;
const MAX_FIELDS = 10;
const MAX_FIELD = 2000;

/**
 * A message for an incoming webhook of Slack. Texts from outside are in `plain_text` objects and in a code block, where
 * Slack reads no formatting; the escaped characters begin a mention or a link.
 */
export function slackMessage(message: Message): unknown {
  const title = `${levelSymbols[message.level]} ${message.title}`;
  const { lines, code, fields, links } = message;
  return {
    // For notifications and screen readers, in which the blocks are not shown.
    text: fitText(title, MAX_TEXT, { write: escaped }),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: plainText(title, MAX_HEADER) },
      ...lines.map((line) => ({ type: "section", text: plainText(line, MAX_TEXT) })),
      ...(code === null ? [] : [codeBlock(code)]),
      ...(fields.length === 0 ? [] : [fieldsBlock(fields)]),
      {
        type: "context",
        elements: [{ type: "mrkdwn", verbatim: true, text: links.map(linkText).join("  ·  ") }],
      },
    ],
  };
}

const plainText = (text: string, most: number) => ({
  type: "plain_text",
  emoji: false,
  text: fitText(text, most, { write: escaped }),
});

function fieldsBlock(fields: Message["fields"]): unknown {
  return {
    type: "section",
    fields: fields.slice(0, MAX_FIELDS).map(({ name, value }) => plainText(`${name}: ${value}`, MAX_FIELD)),
  };
}

function codeBlock(code: string): unknown {
  const most = MAX_TEXT - "```\n\n```".length;
  const text = fitText(code, most, { write: (character) => escaped(withoutBacktick(character)) });
  return { type: "section", text: { type: "mrkdwn", verbatim: true, text: `\`\`\`\n${text}\n\`\`\`` } };
}

/** Replaces the character that ends a code block with a character that looks like it. */
export function withoutBacktick(character: string): string {
  return character === "`" ? "\u02cb" : character;
}

const linkText = ({ text, url }: Message["links"][number]) => `<${fitUrl(url)}|${text}>`;

/** `&` is the only escaped character that a plain URL has. */
const fitUrl = (url: string) => url.replaceAll("&", "&amp;");

/** Source: Slack's reference, "Formatting message text", "Escaping text". */
function escaped(character: string): string {
  switch (character) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    default:
      return character;
  }
}
