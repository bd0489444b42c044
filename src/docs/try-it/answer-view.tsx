import type { Answer } from "#docs/try-it/send.ts";

/** The status, headers and body of an answer. */
export function AnswerView({ answer }: { readonly answer: Answer }) {
  const { status, statusText, milliseconds, headers, body } = answer;
  return (
    <div class="answer">
      <p role="status">
        <b class={status < 400 ? "good" : "bad"}>
          {status} {statusText}
        </b>{" "}
        in {milliseconds} ms
      </p>
      <details>
        <summary>{headers.length} headers</summary>
        <div class="code">
          <pre tabIndex={0}>
            <code>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</code>
          </pre>
        </div>
      </details>
      {body === "" ? (
        <p class="empty">No body</p>
      ) : (
        <div class="code">
          <pre tabIndex={0} aria-label="Body of the response">
            <code>{body}</code>
          </pre>
        </div>
      )}
    </div>
  );
}
