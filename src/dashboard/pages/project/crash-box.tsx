import type { InstanceReport } from "#contract/endpoints/processes/schemas.ts";
import { hasFailed } from "#contract/processes/process-state.ts";
import { counted } from "#contract/lib/counted.ts";
import { AnsiText } from "#dashboard/shared/ansi-text.tsx";

const LAST_LINES = 20;

/** Why an instance ended by itself, with its last lines. Renders nothing for a running instance. */
export function CrashBox({ instance }: { readonly instance: InstanceReport }) {
  const { name, state, restarts, last_exit: exit, last_output: output } = instance;
  if (!hasFailed(state)) return null;
  const lines = (output ?? "").trimEnd().split("\n").slice(-LAST_LINES);
  return (
    <section class="problem" aria-label={`Why ${name} ended`}>
      <p role="alert">
        <strong>{state === "crash_looping" ? `${name} keeps ending.` : `${name} ended.`}</strong>{" "}
        {exit === null ? "" : `It ${exit}. `}
        {state === "crash_looping"
          ? `It was started again ${counted(restarts, "time")}, and the delay before each start grows. Fix the cause and deploy, or roll back.`
          : "It is started again."}
      </p>
      {/* The agent reads it a moment after the end. */}
      {output === null ? null : output.trim() === "" ? (
        <p class="quiet">It printed nothing.</p>
      ) : (
        <pre tabIndex={0} aria-label={`Last lines of ${name}`}>
          {lines.map((line, at) => (
            <div key={at}>
              <AnsiText line={line} />
            </div>
          ))}
        </pre>
      )}
    </section>
  );
}
