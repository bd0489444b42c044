// Loaded before a program: gives far.localhost two addresses.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  if (name !== "far.localhost") return lookup(name, options, callback);
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  process.nextTick(callback, null, ...(options.all ? [addresses] : ["127.0.0.1", 4]));
};
syncBuiltinESMExports();
