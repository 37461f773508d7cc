// Package downloads is what the app downloads, whichever page is shown: one
// queue, what of it is to be gone on with the next time, and the panel that
// shows it.
package downloads
