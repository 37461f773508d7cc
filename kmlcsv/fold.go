package kmlcsv

import (
	"strings"
	"unicode"
)

// accents maps letters with diacritics to those without.
var accents = strings.NewReplacer(
	"ä", "a", "à", "a", "á", "a", "â", "a", "ã", "a", "å", "a", "ç", "c", "č", "c", "ć", "c", "ď", "d",
	"é", "e", "è", "e", "ê", "e", "ë", "e", "ě", "e", "ę", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ł", "l", "ñ", "n", "ň", "n", "ń", "n", "ö", "o", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ø", "o", "ő", "o",
	"ř", "r", "š", "s", "ś", "s", "ß", "ss", "ť", "t", "ü", "u", "ù", "u", "ú", "u", "û", "u", "ů", "u", "ű", "u",
	"ý", "y", "ž", "z", "ź", "z", "ż", "z", "\u0301", "", "\u0300", "", "\u0308", "", "\u0303", "", "\u0302", "",
)

// foldName reduces the name of a column or field to what it is compared by: lower
// case letters and digits without accents, without units in brackets.
func foldName(name string) string {
	name = accents.Replace(strings.ToLower(name))
	var out strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '(' || r == '[':
			depth++
		case (r == ')' || r == ']') && depth > 0:
			depth--
		case depth == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			out.WriteRune(r)
		}
	}
	return out.String()
}
