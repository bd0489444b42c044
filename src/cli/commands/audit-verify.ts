import { readAll } from "#client/read-all.ts";
import { readLines } from "#client/read-lines.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, stop } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { verifyChain } from "#sealing/audit-chain.ts";

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Compute the seals of the audit log again",
  details: [
    "Reads the whole audit log and its seals, and computes the chain of hashes on this machine. If an entry was changed, added or removed after it was sealed, the command fails and names the first seal that does not fit. Compare the hash of the last seal with an earlier run, or with the copies in the installation's R2 bucket, to find out whether the whole chain was replaced.",
  ],
  words: {},
  options: {},
  examples: ["audit verify"],
  run: withSession(async ({ client, output, transport, signal }) => {
    const seals = await readAll(client.listAuditSeals, (page) => page.seals);
    if (!seals.ok) return seals;
    const entries = await readLines(auditEndpoints.listAuditEntries, {}, AuditEntry, transport, signal);
    if (!entries.ok) return entries;
    const check = await verifyChain(seals.value.toReversed(), entries.value, Date.now());
    if (!check.ok)
      return stop(
        "not_verified",
        `Seal ${check.seal.number} of the audit log does not fit: ${check.reason}.`,
      );
    const [last] = seals.value;
    const { sealed, open, expired } = check;
    output.json({ sealed, open, expired, seals: seals.value.length, hash: last?.hash ?? null });
    output.line(`${sealed} entries match the chain of seals; ${open} are not sealed yet.`);
    if (expired > 0)
      output.line(`${expired} seals are older than the entries that are kept, and could not be checked.`);
    if (last !== undefined) output.line(`Last seal: ${last.number} ${last.hash}`);
    return done;
  }),
});
