//! Makes one C library of quiche, its BoringSSL and nghttp2, so that all three lanes share one TLS stack and
//! one build. It re-exports; it adds nothing.
pub use libnghttp2_sys as _nghttp2;
pub use quiche::*;
