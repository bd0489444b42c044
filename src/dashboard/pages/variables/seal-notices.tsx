import { serversOf, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { sealCommand } from "#dashboard/pages/variables/seal-command.ts";

type Props = {
  readonly variables: Variables;
  readonly projectName: string;
  /** Whether this browser can seal secrets; null: not known yet. */
  readonly canSeal: boolean | null;
};

/** Why secrets cannot be opened or sealed. */
export function SealNotices({ variables, projectName, canSeal }: Props) {
  const { not_sealed: unreadable } = variables;
  const isOnly = serversOf(variables).length === 1;
  return (
    <>
      <p>
        All commands of the project get plain variables. Secrets are sealed in this browser: only the{" "}
        {isOnly ? "server" : "project's servers"} can open them, and they are never shown again.
      </p>
      {unreadable.length === 0 ? null : (
        <div class="problem" role="alert">
          <p>
            <strong>
              {isOnly ? "The server" : "A server of the project"} cannot open{" "}
              {unreadable.length === 1 ? "a secret" : "some secrets"}.
            </strong>{" "}
            {isOnly
              ? "The project was moved, or the server lost its key."
              : "It was added to the project, or it lost its key."}{" "}
            Deployments and rollbacks are refused until you enter {unreadable.length === 1 ? "it" : "them"}{" "}
            again or remove {unreadable.length === 1 ? "it" : "them"}:{" "}
            {unreadable.map((name, at) => (
              <span key={name}>
                {at > 0 ? ", " : ""}
                <code>{name}</code>
              </span>
            ))}
          </p>
        </div>
      )}
      {canSeal === false ? (
        <div class="problem" role="alert">
          <p>
            <strong>This browser cannot seal secrets.</strong> It needs X25519, and a page that is served over
            HTTPS or on localhost. Use another browser, or the command:
          </p>
          <Copyable text={sealCommand(projectName)} label="Command" />
        </div>
      ) : null}
    </>
  );
}
