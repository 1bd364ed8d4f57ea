// NDJSON and CSV: a pet that is serialized and parsed again is unchanged.
import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { formats } from "../../src/data/formats/file-formats.ts";
import { readRecords } from "../../src/lib/record-reader.ts";
import { ImportReader } from "../../src/resources/index.ts";
import { writeMembers, writeRecord } from "../../src/store/records.ts";
import { anyNewPet } from "../support/arbitraries.ts";
import { petCollection, petResource } from "../support/pets.ts";

for (const [name, format] of Object.entries(formats))
  t.test(`${name}: reads all pets as they were written, however the bytes are split into chunks`, async (t) => {
    const chunkSizes = fc.infiniteStream(fc.integer({ min: 1, max: 40 }));
    const layout = {
      collection: petCollection,
      withoutIds: true,
      places: [],
      toCell: petResource.record.createCellWriter(),
    };
    const header = format.header(layout);
    const parse = format.createParser(new ImportReader(petResource)); // expensive, therefore created once; it parses the header only once
    if (header !== "") parse(Buffer.from(header.trimEnd()));
    const property = fc.asyncProperty(fc.array(anyNewPet), chunkSizes, async (pets, sizes) => {
      const texts = pets.map((pet) => writeRecord(petCollection, 1n, writeMembers(petCollection, pet)).text);
      const bytes = Buffer.from(header + texts.map((text) => format.serialize(layout, { text, places: {} })).join(""));
      const chunks = async function* () {
        for (let start = 0; start < bytes.length; ) {
          const { value: size } = sizes.next();
          yield bytes.subarray(start, start + size);
          start += size;
        }
      };
      const parsed: object[] = [];
      let expectedLine = 1;
      for await (const records of readRecords(chunks(), 65_536, format.createDelimiter()))
        for (const { firstLine, lastLine, bytes } of records) {
          const text = `${bytes}`;
          assert.equal(firstLine, expectedLine);
          expectedLine += text.split("\n").length;
          assert.equal(lastLine, expectedLine - 1);
          if (firstLine === 1 && header !== "") assert.equal(`${text}\r\n`, header);
          else parsed.push({ ...parse(bytes as Buffer)?.record }); // without the null prototype
        }
      assert.deepEqual(parsed, pets);
    });
    await fc.assert(property, { numRuns: 50 });
    t.pass("50 lists of pets");
  });
