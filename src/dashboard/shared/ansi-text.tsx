import { plainStyle, type TextStyle } from "#contract/text-style.ts";
import { type Piece, piecesOf } from "#dashboard/text/ansi.ts";

type Props = {
  readonly line: string;
  /** A text in lower case. Its occurrences in the line are highlighted. */
  readonly marked?: string;
  /** The style at the end of the previous line. */
  readonly before?: Readonly<TextStyle>;
};

/** A line of output with its colors. Its content is only ever rendered as text. */
export function AnsiText({ line, marked = "", before = plainStyle }: Props) {
  return (
    <>
      {piecesOf(line, before).map((piece, at) => (
        <Colored key={at} piece={piece} marked={marked} />
      ))}
    </>
  );
}

function Colored({ piece, marked }: { readonly piece: Piece; readonly marked: string }) {
  const { text, classes, color, background } = piece;
  const content = marked === "" ? text : <Marked text={text} marked={marked} />;
  if (classes === "" && color === null && background === null) return <>{content}</>;
  const style = {
    ...(color === null ? {} : { color: color }),
    ...(background === null ? {} : { backgroundColor: background }),
  };
  return (
    <span class={classes} style={style}>
      {content}
    </span>
  );
}

function Marked({ text, marked }: { readonly text: string; readonly marked: string }) {
  const parts = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(marked); at >= 0; at = lower.indexOf(marked, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + marked.length)}</mark>);
    from = at + marked.length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
