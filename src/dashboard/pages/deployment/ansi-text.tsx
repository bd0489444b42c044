import { type Look, type Piece, piecesOf, plain } from "#dashboard/text/ansi.ts";

type Props = {
  readonly line: string;
  /** In lower case; what of the line is like it is marked. */
  readonly marked?: string;
  /** What the line before it has left behind. */
  readonly look?: Readonly<Look>;
};

/** A line of output in its colours. Whatever it holds is text. */
export function AnsiText({ line, marked = "", look = plain }: Props) {
  return (
    <>
      {piecesOf(line, look).map((piece, at) => (
        <Coloured key={at} piece={piece} marked={marked} />
      ))}
    </>
  );
}

function Coloured({ piece, marked }: { readonly piece: Piece; readonly marked: string }) {
  const { text, classes, colour, ground } = piece;
  const content = marked === "" ? text : <Marked text={text} marked={marked} />;
  if (classes === "" && colour === null && ground === null) return <>{content}</>;
  const style = {
    ...(colour === null ? {} : { color: colour }),
    ...(ground === null ? {} : { backgroundColor: ground }),
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
