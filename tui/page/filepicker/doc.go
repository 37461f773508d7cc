// Package filepicker chooses files of this machine: a path is typed or pasted,
// or folders are walked, and files are marked where several are wanted. A page
// draws a [Picker] in its rectangle; a [Dialog] has one in a box.
package filepicker
