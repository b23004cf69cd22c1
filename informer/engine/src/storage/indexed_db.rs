//! IndexedDB: the browser's storage, in pages and in every kind of worker.
//!
//! It uses `web-sys` directly, because five requests suffice. Crates for IndexedDB add cursors, indexes, key ranges and
//! an error type for each of them.

use std::cell::RefCell;
use std::rc::Rc;

use futures::FutureExt;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomException, IdbDatabase, IdbFactory, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode};

use super::{Storage, StorageError, Stored};

/// Name of the database, and of its one object store. The stored bytes carry their own format version, so the database
/// never needs another version.
const NAME: &str = "kube-informer";

/// Storage of this origin, opened on first use.
#[derive(Clone, Default)]
pub struct IndexedDb(Rc<RefCell<Option<IdbDatabase>>>);

impl IndexedDb {
    /// Creates a handle without opening the database.
    pub fn new() -> Self {
        Self::default()
    }

    async fn open(&self) -> Result<IdbDatabase, StorageError> {
        if let Some(database) = self.0.borrow().clone() {
            return Ok(database);
        }
        let factory: IdbFactory = Reflect::get(&js_sys::global(), &"indexedDB".into())
            .ok()
            .filter(JsValue::is_object)
            .ok_or(StorageError::Unavailable)?
            .unchecked_into();
        let request = factory.open_with_u32(NAME, 1).map_err(|_| StorageError::Unavailable)?;
        let database = || request.result().map(IdbDatabase::unchecked_from_js).map_err(|_| StorageError::Failed);
        let opened = settled(|done, failed| {
            request.set_onupgradeneeded(Some(&done));
            request.set_onsuccess(Some(&done));
            request.set_onerror(Some(&failed));
        });
        let event: web_sys::Event = opened.await.map_err(|_| StorageError::Unavailable)?.unchecked_into();
        if event.type_() == "upgradeneeded" {
            let opened = settled(|done, failed| {
                request.set_onsuccess(Some(&done));
                request.set_onerror(Some(&failed));
            });
            database()?.create_object_store(NAME).map_err(|_| StorageError::Failed)?;
            opened.await.map_err(|_| StorageError::Unavailable)?;
        }
        let database = database()?;
        *self.0.borrow_mut() = Some(database.clone());
        Ok(database)
    }

    /// Performs one request in a transaction of its own, which begins now if the database is open. A write resolves
    /// when it is durable, a read when its result is available.
    fn perform(&self, mode: IdbTransactionMode, ask: MakeRequest) -> Stored<JsValue> {
        let storage = self.clone();
        let open = self.0.borrow().clone();
        let begun = match open {
            Some(database) => Ok(self.begin(&database, mode, ask)),
            None => Err(ask),
        };
        async move {
            let begun = match begun {
                Ok(begun) => begun,
                Err(ask) => storage.begin(&storage.open().await?, mode, ask),
            };
            let PendingRequest { request, transaction, settled } = begun?;
            settled.await.map_err(|_| reason(transaction.error()))?;
            request.result().map_err(|_| StorageError::Failed)
        }
        .boxed_local()
    }

    fn begin(
        &self,
        database: &IdbDatabase,
        mode: IdbTransactionMode,
        ask: MakeRequest,
    ) -> Result<PendingRequest, StorageError> {
        let Ok(transaction) = database.transaction_with_str_and_mode(NAME, mode) else {
            // The browser has closed the database, as when the user clears the site's data: the next call reopens it.
            *self.0.borrow_mut() = None;
            return Err(StorageError::Failed);
        };
        let store = transaction.object_store(NAME).map_err(|_| StorageError::Failed)?;
        let request = ask(&store).map_err(|error| reason(error.dyn_into().ok()))?;
        let settled = settled(|done, failed| {
            if mode == IdbTransactionMode::Readonly {
                request.set_onsuccess(Some(&done));
            } else {
                transaction.set_oncomplete(Some(&done));
            }
            transaction.set_onabort(Some(&failed));
        });
        Ok(PendingRequest { request, transaction, settled })
    }
}

/// Request in progress.
struct PendingRequest {
    request: IdbRequest,
    transaction: IdbTransaction,
    settled: JsFuture,
}

type MakeRequest = Box<dyn FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>>;

/// Resolves with the event of either listener. The listeners are the promise's own functions, so no closure has to be
/// kept alive for them.
fn settled(mut listen: impl FnMut(Function, Function)) -> JsFuture {
    JsFuture::from(Promise::new(&mut listen))
}

fn reason(error: Option<DomException>) -> StorageError {
    match error {
        Some(error) if error.name() == "QuotaExceededError" => StorageError::Quota,
        _ => StorageError::Failed,
    }
}

impl Storage for IndexedDb {
    fn get(&self, key: &str) -> Stored<Option<Vec<u8>>> {
        let key = JsValue::from_str(key);
        let found = self.perform(IdbTransactionMode::Readonly, Box::new(move |store| store.get(&key)));
        found.map(|found| Ok(found?.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))).boxed_local()
    }

    fn put(&self, key: &str, bytes: Vec<u8>) -> Stored<()> {
        let (key, bytes) = (JsValue::from_str(key), Uint8Array::from(&*bytes));
        let put = self.perform(IdbTransactionMode::Readwrite, Box::new(move |store| store.put_with_key(&bytes, &key)));
        put.map(|put| put.map(drop)).boxed_local()
    }

    fn delete(&self, key: &str) -> Stored<()> {
        let key = JsValue::from_str(key);
        let deleted = self.perform(IdbTransactionMode::Readwrite, Box::new(move |store| store.delete(&key)));
        deleted.map(|deleted| deleted.map(drop)).boxed_local()
    }

    fn keys(&self) -> Stored<Vec<String>> {
        let keys = self.perform(IdbTransactionMode::Readonly, Box::new(IdbObjectStore::get_all_keys));
        keys.map(|keys| Ok(Array::from(&keys?).iter().filter_map(|key| key.as_string()).collect())).boxed_local()
    }

    fn clear(&self) -> Stored<()> {
        let cleared = self.perform(IdbTransactionMode::Readwrite, Box::new(IdbObjectStore::clear));
        cleared.map(|cleared| cleared.map(drop)).boxed_local()
    }
}
