package kmlcsv

import (
	"bytes"
	"slices"
	"strings"
)

// elementNames are the names of the KML elements that the reader uses. It ignores all other elements.
var elementNames = strings.Fields(
	`kml Document Folder Placemark name ExtendedData SchemaData Data SimpleData value
	Point LineString LinearRing Polygon outerBoundaryIs innerBoundaryIs MultiGeometry Track MultiTrack Model
	MultiPoint MultiLineString MultiPolygon coordinates coord
	NetworkLink NetworkLinkControl Update GroundOverlay PhotoOverlay ScreenOverlay Link Url href Schema`,
)

// elementTable is a hash table of elementNames with open addressing. The reader looks up every tag of a file in it,
// so it has to be faster than a map.
var elementTable = func() (t [256]string) {
	for _, name := range elementNames {
		h := elementHash([]byte(name))
		for t[h] != "" {
			h++
		}
		t[h] = name
	}
	return t
}()

func elementHash(name []byte) uint8 {
	return name[0]*7 ^ name[len(name)-1]*31 ^ uint8(len(name))*13
}

// elementOf returns the name of an element as a string, or "" if the name is not in elementNames. The string is not
// allocated, because it comes from a table. The name must not have a namespace prefix.
func elementOf(name []byte) string {
	for h := elementHash(name); elementTable[h] != ""; h++ {
		if elementTable[h] == string(name) {
			return elementTable[h]
		}
	}
	return ""
}

// namespaceKind says whether a namespace belongs to KML. The reader ignores elements of other namespaces.
type namespaceKind uint8

const (
	known   namespaceKind = iota // KML or an extension of it
	foreign                      // anything else
	dji                          // WPML, in which DJI stores flight paths (waylines)
)

// namespaceScope has the namespaces that are declared at the current element.
type namespaceScope struct {
	bindings   []namespaceBinding
	foreign    bool   // the default namespace is not KML
	unknown    string // namespace of the root element if it belongs neither to KML nor to DJI
	undeclared string // first prefix in the file that has no declaration
	waylines   bool   // a DJI namespace was declared
}

type namespaceBinding struct {
	prefix string
	kind   namespaceKind
	depth  int // depth of the element that declares the namespace
}

// bindPrefix adds a namespace declaration of an element. prefix is "" for the default namespace, and depth is the
// depth of the element, 1 for the root. isRoot says that the root element itself is in this namespace. The namespace
// of the root is read as KML even if it is not known.
func (n *namespaceScope) bindPrefix(prefix, uri []byte, depth int, isRoot bool) {
	kind := namespaceKindOf(string(uri))
	if kind == dji {
		n.waylines = true
	}
	if kind == foreign && isRoot {
		kind = known
		n.unknown = string(uri)
	}
	n.bindings = append(n.bindings, namespaceBinding{string(prefix), kind, depth})
	n.setDefault()
}

// leaveDepth removes the namespaces that elements deeper than depth declared.
func (n *namespaceScope) leaveDepth(depth int) {
	for len(n.bindings) > 0 && n.bindings[len(n.bindings)-1].depth > depth {
		n.bindings = n.bindings[:len(n.bindings)-1]
		n.setDefault()
	}
}

func (n *namespaceScope) setDefault() {
	kind, _ := n.lookUp("")
	n.foreign = kind != known
}

func (n *namespaceScope) lookUp(prefix string) (namespaceKind, bool) {
	for i := len(n.bindings) - 1; i >= 0; i-- {
		if n.bindings[i].prefix == prefix {
			return n.bindings[i].kind, true
		}
	}
	return known, false
}

// resolveName returns the name of an element without its namespace prefix. It returns "" if the reader does not use
// the element, or if the element is not in a KML namespace.
func (n *namespaceScope) resolveName(name []byte) string {
	el := elementOf(name)
	if el != "" {
		if n.foreign {
			return ""
		}
		return el
	}
	if i := bytes.IndexByte(name, ':'); i >= 0 && i+1 < len(name) {
		return n.resolvePrefixed(name[:i], name[i+1:])
	}
	return ""
}

func (n *namespaceScope) resolvePrefixed(prefix, local []byte) string {
	kind, declared := n.lookUp(string(prefix))
	if !declared && n.undeclared == "" && !slices.Contains(usualPrefixes, string(prefix)) {
		n.undeclared = string(prefix)
	}
	if kind != known || !declared && string(prefix) == "wpml" {
		return ""
	}
	return elementOf(local)
}

// usualPrefixes are the namespace prefixes that mean the same in all files. The reader does not warn if a file uses
// them without a declaration.
var usualPrefixes = strings.Fields("gx kml atom wpml xal xsi xml")

// kmlAddresses are the beginnings of all KML namespace URIs, without the scheme.
var kmlAddresses = strings.Fields(`www.opengis.net/kml schemas.opengis.net/kml earth.google.com/kml
	earth.google.com/earth www.google.com/kml code.google.com/apis/kml`)

// namespaceKindOf returns the kind of a namespace from its URI. It ignores the scheme, white space and the case of
// letters.
func namespaceKindOf(uri string) namespaceKind {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	begins := func(address string) bool { return strings.HasPrefix(uri, address) }
	if uri == "" || slices.ContainsFunc(kmlAddresses, begins) {
		return known
	}
	if strings.Contains(uri, "dji.com/wpmz") || strings.Contains(uri, "uav.com/wpmz") {
		return dji
	}
	return foreign
}
