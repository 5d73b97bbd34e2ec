import { family } from "./further_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
