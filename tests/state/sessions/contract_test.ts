import { contract } from "./contract.ts";
import { testEach } from "./stores.ts";

for (const { name, run } of contract) testEach(`Store: ${name}`, run);
