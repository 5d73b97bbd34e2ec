import { family } from "./keys_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
