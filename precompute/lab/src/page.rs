//! Pages that need nothing else: text and pictures inside of one HTML file.

use crate::Result;
use crate::draw::Picture;
use base64::Engine;

/// Text as it stands in a page.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A picture with a caption.
pub(crate) fn figure(picture: &Picture, caption: &str) -> Result<String> {
    let data = base64::engine::general_purpose::STANDARD.encode(picture.png()?);
    let caption = escaped(caption);
    Ok(format!(
        "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,{data}\"><figcaption>{caption}</figcaption></figure>\n"
    ))
}
