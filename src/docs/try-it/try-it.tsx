import { useRef, useState } from "preact/hooks";

import type { TriedOperation } from "#contract/reference/page-data.ts";
import { AnswerView } from "#docs/try-it/answer-view.tsx";
import { Confirmation } from "#docs/try-it/confirmation.tsx";
import { ParameterField } from "#docs/try-it/parameter-field.tsx";
import { requestOf, type TriedRequest } from "#docs/try-it/request.ts";
import { type Answer, sendTried } from "#docs/try-it/send.ts";
import { dashboardToken, keepPasted, pastedToken } from "#docs/try-it/token.ts";
import { TokenField } from "#docs/try-it/token-field.tsx";

/** `asks`: the request changes something, and the reader has not confirmed it yet. */
type State = { readonly is: "idle" | "sending" } | { readonly is: "asks"; readonly request: TriedRequest };

/** A form that sends the request of an operation to this installation, and shows its answer. */
export function TryIt({ operation }: { readonly operation: TriedOperation }) {
  const { id, method, path, parameters, body, takesToken } = operation;
  const [signedIn] = useState(dashboardToken);
  const [token, setToken] = useState(pastedToken);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState(body ?? "");
  const [state, setState] = useState<State>({ is: "idle" });
  const [problem, setProblem] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const aborter = useRef<AbortController | null>(null);

  const send = async (request: TriedRequest) => {
    const { signal } = (aborter.current = new AbortController());
    setState({ is: "sending" });
    setAnswer(null);
    try {
      await sendTried(request, signal, setAnswer);
    } catch {
      if (!signal.aborted) setProblem("The request failed. Is the installation reachable?");
    }
    setState({ is: "idle" });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (state.is === "sending") return;
    // It may have been pasted into the form of another operation since this one was opened.
    const pasted = pastedToken();
    setToken(pasted);
    const used = takesToken ? (pasted ?? dashboardToken()) : null;
    const request =
      takesToken && used === null
        ? { problem: "Paste a token, or sign in to the dashboard." }
        : requestOf(operation, { values, body: text }, used);
    setProblem("problem" in request ? request.problem : "");
    if ("problem" in request) return;
    if (method === "GET") void send(request);
    else setState({ is: "asks", request });
  };

  // The question shows the earlier input.
  const onInput = () => {
    if (state.is === "asks") setState({ is: "idle" });
  };

  return (
    <form onSubmit={submit} onInput={onInput} aria-label={`Try ${method} ${path}`}>
      {takesToken ? (
        <TokenField
          token={token}
          isSignedIn={signedIn !== null}
          onPaste={(pasted) => {
            keepPasted(pasted);
            setToken(pastedToken());
          }}
        />
      ) : null}
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ""}
          onChange={(value) => setValues({ ...values, [parameter.name]: value })}
        />
      ))}
      {body === null ? null : (
        <label>
          <span>Body</span>
          <textarea
            rows={Math.min(16, body.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
      {state.is === "asks" ? (
        <Confirmation
          id={`${id}-ask`}
          method={method}
          address={state.request.address}
          onSend={() => void send(state.request)}
          onCancel={() => setState({ is: "idle" })}
        />
      ) : (
        <p class="buttons">
          <button type="submit" class="primary">
            {state.is === "sending" ? "Sending…" : "Send request"}
          </button>
          {state.is === "sending" ? (
            <button type="button" onClick={() => aborter.current?.abort()}>
              Stop
            </button>
          ) : null}
        </p>
      )}
      <p class="problem-text" role="alert">
        {problem}
      </p>
      {answer === null ? null : <AnswerView answer={answer} />}
    </form>
  );
}
