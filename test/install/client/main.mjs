import { useClient } from "./use-client.mjs";

const { default: process } = await import("node:process");
console.log(JSON.stringify(await useClient(JSON.parse(process.env.GIVEN))));
