//! Benchmark: decoding and packing objects in a JavaScript engine, and their memory: see `run.mjs` beside this file.

#[cfg(target_arch = "wasm32")]
mod bench {
    use std::collections::HashMap;
    use std::hint::black_box;
    use std::sync::Arc;

    use informer::{Keyed, KubeObject, Object, Packer, PackerOptions, Reading, TypeMeta};
    use informer_packing::lz4::{Compressor, Dictionary, PreparedDictionary};
    use informer_packing::{Json, Outlined, Outliner};
    use wasm_bindgen::prelude::wasm_bindgen;

    /// The measured list, and the state of each part of the measurement.
    #[wasm_bindgen]
    pub struct Bench {
        list: Vec<u8>,
        items: Vec<(usize, usize)>,
        outliner: Outliner,
        compressor: Compressor,
        dictionary: PreparedDictionary,
        body: Vec<u8>,
        store: Vec<HashMap<String, Arc<Object>>>,
        packers: Vec<Packer>,
    }

    #[wasm_bindgen]
    impl Bench {
        /// Takes the body of a list.
        #[wasm_bindgen(constructor)]
        pub fn new(list: Vec<u8>) -> Self {
            let text = std::str::from_utf8(&list).unwrap_or_default();
            let mut items = Vec::new();
            for item in Json::new(text).get("items").into_iter().flat_map(Json::items) {
                let start = item.text().as_ptr() as usize - text.as_ptr() as usize;
                items.push((start, start + item.text().len()));
            }
            let mut outliner = Outliner::passing_over("metadata", "managedFields");
            let mut exemplars = Vec::new();
            for (start, end) in items.iter().step_by(items.len().div_ceil(15).max(1)) {
                if let Outlined::Complete(outline) = outliner.read(&list[*start..*end]) {
                    outline.write_without("metadata", "managedFields", &mut exemplars);
                }
            }
            Self {
                items,
                outliner,
                compressor: Compressor::default(),
                dictionary: PreparedDictionary::new(Arc::new(Dictionary::new(&exemplars))),
                body: Vec::new(),
                store: Vec::new(),
                packers: Vec::new(),
                list,
            }
        }

        /// One pass, nothing kept.
        pub fn outline(&mut self) {
            for (start, end) in &self.items {
                black_box(matches!(self.outliner.read(&self.list[*start..*end]), Outlined::Complete(_)));
            }
        }

        /// The pass, and the text without `managedFields`.
        pub fn cut(&mut self) {
            for (start, end) in &self.items {
                self.body.clear();
                if let Outlined::Complete(outline) = self.outliner.read(&self.list[*start..*end]) {
                    outline.write_without("metadata", "managedFields", &mut self.body);
                }
            }
        }

        /// All of that, and compression. The bytes that are left.
        pub fn compress(&mut self) -> usize {
            let mut bytes = 0;
            for (start, end) in &self.items {
                self.body.clear();
                if let Outlined::Complete(outline) = self.outliner.read(&self.list[*start..*end]) {
                    outline.write_without("metadata", "managedFields", &mut self.body);
                }
                bytes += self.compressor.compress(&self.dictionary, &self.body, 0).len();
            }
            bytes
        }

        /// Reads and keeps everything once more; how many objects that were.
        pub fn store(&mut self) -> usize {
            let Ok(resource) = "v1/pods".parse() else { return 0 };
            let packer = Object::packer(&resource, PackerOptions::default());
            let meta = TypeMeta { kind: "Pod".into(), api_version: "v1".into() };
            let mut store = HashMap::new();
            for (start, end) in &self.items {
                if let Outlined::Complete(outline) = self.outliner.read(&self.list[*start..*end])
                    && let Ok(Reading::New(object)) = Object::read(&outline, Some(&meta), &packer, &|_| None)
                {
                    store.insert(object.key().to_owned(), Arc::new(object));
                }
            }
            let count = store.len();
            self.store.push(store);
            self.packers.push(packer);
            count
        }

        /// The bytes of all records that are kept.
        pub fn records(&self) -> usize {
            self.store.iter().flat_map(HashMap::values).map(|object| object.size()).sum()
        }

        /// Inflates all that is kept; the bytes of it.
        pub fn inflate(&self) -> usize {
            self.store.iter().flat_map(HashMap::values).map(|object| object.json().len()).sum()
        }

        /// Bytes that the engine has given so far.
        #[expect(clippy::unused_self, reason = "it is of the store that JavaScript holds")]
        pub fn memory(&self) -> usize {
            core::arch::wasm32::memory_size(0) * 65_536
        }

        /// Clears the stored objects.
        pub fn clear(&mut self) {
            self.store.clear();
            self.packers.clear();
        }
    }
}
