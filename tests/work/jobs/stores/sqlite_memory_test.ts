import { NewMemory } from "../../../../src/work/jobs/stores/sqlite_store.ts";
import { testStore } from "./store_contract.ts";

testStore("memory", () => {
  const store = NewMemory();
  return { store, other: store, close: () => store.Close() };
});
