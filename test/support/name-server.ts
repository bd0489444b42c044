import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";

/**
 * How a name is answered: with these addresses; with a failure; with an alias that names itself; or not at all. Other
 * names do not exist.
 */
export type NameAnswer = readonly string[] | "fails" | "loops" | "silent";

/** A name server on 127.0.0.1, over UDP. */
export type NameServer = {
  readonly port: number;
  /** The names that were asked for. */
  readonly asked: ReadonlySet<string>;
  /** How many questions have arrived. */
  readonly questions: number;
  close(): void;
};

const A = 1;
const CNAME = 5;
const AAAA = 28;
const FAILURE = 2;
const NO_SUCH_NAME = 3;

/** Source: RFC 1035, 4.1, and RFC 3596. */
export async function startNameServer(names: Readonly<Record<string, NameAnswer>>): Promise<NameServer> {
  const asked = new Set<string>();
  let questions = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, { port: client, address }) => {
    const { name, end } = readName(query);
    asked.add(name);
    questions += 1;
    const type = query.readUInt16BE(end);
    const question = query.subarray(12, end + 4);
    const answer = Object.hasOwn(names, name) ? names[name] : undefined;
    if (answer === "silent") return;
    const records =
      answer === "loops"
        ? [record(CNAME, Buffer.from([0xc0, 12]))]
        : Array.isArray(answer)
          ? answer.filter((one) => isIP(one) === (type === A ? 4 : type === AAAA ? 6 : 0)).map(addressRecord)
          : [];
    const code = answer === undefined ? NO_SUCH_NAME : answer === "fails" ? FAILURE : 0;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // A response of a server that asks others, to a question of a client that wants this.
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, question, ...records]), client, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    asked,
    get questions() {
      return questions;
    },
    close: () => socket.close(),
  };
}

/** The name of the only question. */
function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function addressRecord(address: string): Buffer {
  return isIP(address) === 4
    ? record(A, Buffer.from(address.split(".").map(Number)))
    : record(AAAA, bytesOf(address));
}

function bytesOf(address: string): Buffer {
  const [before = "", after = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [start, end] = [groups(before), groups(after)];
  const all = [...start, ...Array.from({ length: 8 - start.length - end.length }, () => "0"), ...end];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** Of the name in the question. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
