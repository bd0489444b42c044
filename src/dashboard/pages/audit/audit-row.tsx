import { Fragment } from "preact";
import { useState } from "preact/hooks";

import type { AuditChanges, AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { auditSentence, valueText } from "#dashboard/pages/audit/audit-texts.ts";
import { dateText } from "#dashboard/text/times.ts";

/** `id`: of a member, or of a token, hook or server. */
export type NamedActor = { readonly id: string; readonly name: string };

type Props = {
  readonly entry: AuditEntry;
  /** The name of an object that still exists, by its id. */
  readonly nameOf: (id: string) => string | null;
  /** Shows only the entries of an actor: of a member, from all of their sessions. */
  readonly onActor: (actor: NamedActor) => void;
};

/** An entry of the audit log: who did what to what, and on demand from where and with what changed. */
export function AuditRow({ entry, nameOf, onActor }: Props) {
  const { sequence, timestamp, actor, outcome, code, changes } = entry;
  const [isOpen, setIsOpen] = useState(false);
  const isDone = outcome === "done";
  const by = actor.member ?? (actor.id === null ? null : { id: actor.id, name: actor.name });
  return (
    <li class="record">
      <div class="line">
        <span class={`status ${isDone ? "live" : "failed"}`}>{isDone ? "Done" : "Refused"}</span>
        <span class="title">
          <strong>{withHiddenShown(actor.name)}</strong> {withHiddenShown(auditSentence(entry, nameOf))}{" "}
          {code === null ? null : <code>{code}</code>}
        </span>
        <span class="quiet when">
          <time dateTime={timestamp}>{dateText(timestamp)}</time>
        </span>
        <Button
          variant="subtle"
          label={`${isOpen ? "Hide" : "Details"} of entry ${sequence}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Details"}
        </Button>
      </div>
      {isOpen ? <Details entry={entry} /> : null}
      {isOpen && changes !== null && Object.keys(changes).length > 0 ? <Changes changes={changes} /> : null}
      {isOpen && by !== null ? <ActorButton actor={by} onActor={onActor} /> : null}
    </li>
  );
}

type ActorProps = Pick<Props, "onActor"> & { readonly actor: NamedActor };

function ActorButton({ actor, onActor }: ActorProps) {
  return <Button onClick={() => onActor(actor)}>Only entries of {withHiddenShown(actor.name)}</Button>;
}

function Details({ entry }: { readonly entry: AuditEntry }) {
  const { sequence, timestamp, action, actor, ip, request_id: requestId, target } = entry;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Entry", String(sequence)],
    ["Time", timestamp],
    ["Action", action],
    ["By", actor.id === null ? actor.type : `${actor.type} ${actor.id}`],
    ["Member", actor.member?.id ?? null],
    ["Address", ip],
    ["Request", requestId],
    ["Of", target?.id ?? null],
  ];
  return (
    <dl>
      {facts.map(([name, value]) =>
        value === null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}

function Changes({ changes }: { readonly changes: AuditChanges }) {
  return (
    <table class="changes" aria-label="Changes">
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(changes).map(([name, { before, after }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{withHiddenShown(valueText(before))}</td>
            <td>{withHiddenShown(valueText(after))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
