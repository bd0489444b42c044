import type { ConnectionTest, TestSignIn } from "#contract/endpoints/connections/schemas.ts";
import { roleOfGrant } from "#dashboard/pages/members/grant-texts.ts";

/** What a test of a connection has found. */
export function TestResult({ test }: { readonly test: ConnectionTest }) {
  const { problems, notes, sign_in: signIn } = test;
  const isFine = problems.length === 0 && signIn?.problem === null;
  return (
    <div role="status">
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} class="notice">
          {note}
        </p>
      ))}
      {isFine ? <p>The connection works.</p> : null}
      {signIn === null ? null : <Person signIn={signIn} />}
    </div>
  );
}

function Person({ signIn }: { readonly signIn: TestSignIn }) {
  const { member, grants, problem, groups, email, claims } = signIn;
  return (
    <>
      <p>
        {problem ??
          (member === null ? "You would join the account." : `You would be signed in as ${member.name}.`)}
      </p>
      {grants.length === 0 ? null : (
        <ul class="grants">
          {grants.map((grant, at) => (
            <li key={at}>{roleOfGrant(grant)}</li>
          ))}
        </ul>
      )}
      <dl>
        <dt>Verified address</dt>
        <dd>{email ?? "none"}</dd>
        <dt>Groups</dt>
        <dd>{groups === null ? "not sent" : groups.length === 0 ? "none" : groups.join(", ")}</dd>
        {Object.entries(claims).map(([name, value]) => (
          <>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}
