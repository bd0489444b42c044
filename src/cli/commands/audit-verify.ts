import { readAll } from "#client/read-all.ts";
import { readLines } from "#client/read-lines.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { withSession } from "#cli/session/session.ts";
import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { AUDIT_RETENTION_DAYS } from "#contract/endpoints/audit/retention.ts";
import { succeed } from "#contract/lib/result.ts";
import { counted } from "#contract/lib/counted.ts";
import { type EntryRange, type KnownSeal, verifyAuditLog } from "#sealing/verify-audit-log.ts";

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify the audit log against its seals",
  details: [
    "Reads the whole audit log, its seals and their copies in the installation's R2 bucket, and computes all hashes on this machine. The command fails and names the entry or seal if an entry or seal was changed, added or removed after it was sealed, or differs from its copy. Only entries that the retention has removed may be missing.",
    "Somebody who can write both the database and the bucket can replace the whole log. Keep the last line outside of the installation, and pass its seal with --from: the command fails if the log no longer contains this seal. If the database was restored to an earlier day, the command fails until --from names a seal since then.",
    "Entries that are not sealed yet are protected only by their numbers: the command finds a missing entry between others, but not a changed one, nor that the newest ones were removed.",
  ],
  words: {},
  options: {
    from: {
      kind: "text",
      value: "NUMBER:HASH",
      help: "Seal that an earlier run has printed; copies of seals that were stored before it are not compared",
    },
  },
  examples: [
    "audit verify",
    "audit verify --from 212:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ],
  run: withSession(async ({ client, ownAccount, output, transport, signal }, { options }) => {
    const known = readKnownSeal(options.from);
    if (!known.ok) return known;
    const account = await ownAccount();
    if (!account.ok) return account;
    // In this order, a seal that is made in the meantime is not missing anywhere.
    const copies = await readAll(client.listAuditSealCopies, (page) => page.copies);
    if (!copies.ok) return copies;
    const newestSeals = await readAll(client.listAuditSeals, (page) => page.seals);
    if (!newestSeals.ok) return newestSeals;
    const lines = await readLines(auditEndpoints.listAuditEntries, {}, (line) => line, transport, signal);
    if (!lines.ok) return lines;
    const seals = newestSeals.value.toReversed();
    const log = { accountId: account.value.id, lines: lines.value, seals, copies: copies.value };
    const check = await verifyAuditLog(log, known.value, Date.now());
    if (!check.ok) return stop("not_verified", check.problem);
    const { sealed, open, removed } = check;
    const newest = seals.at(-1) ?? null;
    output.json({
      sealed,
      open,
      removed,
      seals: seals.length,
      newest: newest === null ? null : { number: newest.number, hash: newest.hash },
    });
    output.line(
      `${counted(count(sealed), "entry matches", "entries match")} the chain of seals; ${count(open)} ${count(open) === 1 ? "is" : "are"} not sealed yet.`,
    );
    if (sealed !== null) output.line(`Verified: entries ${sealed.first} to ${sealed.last}.`);
    if (removed !== null)
      output.line(
        `Entries up to ${removed.last_entry} were removed ${AUDIT_RETENTION_DAYS} days after they were sealed. The last of them were sealed at ${removed.sealed_at}.`,
      );
    if (newest !== null) {
      output.line(
        seals.length === 1
          ? "1 seal matches its copy in R2."
          : `${seals.length} seals match their copies in R2.`,
      );
      output.line(`Newest seal: ${newest.number}:${newest.hash}`);
    }
    return done;
  }),
});

const count = (range: EntryRange | null): number => (range === null ? 0 : range.last - range.first + 1);

function readKnownSeal(text: string | null): Result<KnownSeal | null> {
  if (text === null) return succeed(null);
  const { number, hash } = /^(?<number>[1-9]\d{0,14}):(?<hash>[0-9a-f]{64})$/.exec(text)?.groups ?? {};
  if (number === undefined || hash === undefined)
    return stop("usage", "--from must be a seal as gantry audit verify prints it: NUMBER:HASH.");
  return succeed({ number: Number(number), hash });
}
