import { networkInterfaces } from "node:os";

/** An IPv4 address of this machine that is not a loopback one. @throws if it has none */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = all.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("This machine has only loopback addresses.");
  return found.address;
}
