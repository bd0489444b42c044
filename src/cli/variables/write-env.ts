/**
 * A variable as an entry of a .env file. Prefers the forms that sh, Docker Compose, Node and `readEnv` read alike: no
 * quotes, then single quotes. Double quotes, where the programs differ on escapes, are for the other values.
 */
export function writeEnv(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${name}=${value}`;
  // A carriage return would not survive a program that converts line ends.
  if (!/['\r]/.test(value)) return `${name}='${value}'`;
  return `${name}="${value.replace(/["\\$`]/g, "\\$&").replaceAll("\r", "\\r")}"`;
}
