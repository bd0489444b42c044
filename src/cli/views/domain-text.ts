import { type DomainCheck, type DomainState, isRight } from "#contract/endpoints/domains/schemas.ts";
import { printable } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";

export const domainColumns = ["DOMAIN", "LEADS", "ADDRESSES", "CERTIFICATE"];

const leads = {
  here: "to the server",
  partly: "to others too",
  elsewhere: "elsewhere",
  no_address: "nowhere",
  private: "private name",
  unknown: "unknown",
} as const satisfies Record<DomainState, string>;

/** A table row for each host name, in `domainColumns`. */
export function domainRows(checks: readonly DomainCheck[], style: Style): readonly (readonly string[])[] {
  return checks.map((check) => [
    printable(check.domain),
    (isRight(check) ? style.green : style.red)(leads[check.state]),
    check.addresses.map(({ address }) => printable(address)).join(" ") || "-",
    check.certificate ?? "-",
  ]);
}
