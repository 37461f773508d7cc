package kmlcsv

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// charset is an encoding that guessCharset tries for a text of unknown encoding.
type charset struct {
	name     string // technical name, such as windows-1250
	label    string // name that users read, such as Central European
	encoding encoding.Encoding
	script   *unicode.RangeTable // script of the letters beyond ASCII, nil for Latin
	isWide   bool                // characters beyond ASCII have two bytes
}

// charsets are the encodings that guessCharset tries, the most usual first.
var charsets = []charset{
	{"windows-1252", "Western European", charmap.Windows1252, nil, false},
	{"windows-1250", "Central European", charmap.Windows1250, nil, false},
	{"windows-1251", "Cyrillic", charmap.Windows1251, unicode.Cyrillic, false},
	{"windows-1253", "Greek", charmap.Windows1253, unicode.Greek, false},
	{"windows-1254", "Turkish", charmap.Windows1254, nil, false},
	{"windows-1255", "Hebrew", charmap.Windows1255, unicode.Hebrew, false},
	{"windows-1256", "Arabic", charmap.Windows1256, unicode.Arabic, false},
	{"windows-1257", "Baltic", charmap.Windows1257, nil, false},
	{"windows-1258", "Vietnamese", charmap.Windows1258, nil, false},
	{"shift_jis", "Japanese", japanese.ShiftJIS, nil, true},
	{"gbk", "Chinese, simplified", simplifiedchinese.GBK, nil, true},
	{"euc-kr", "Korean", korean.EUCKR, nil, true},
	{"big5", "Chinese, traditional", traditionalchinese.Big5, nil, true},
	{"koi8-r", "Cyrillic, KOI8", charmap.KOI8R, unicode.Cyrillic, false},
	{"koi8-u", "Ukrainian, KOI8", charmap.KOI8U, unicode.Cyrillic, false},
	{"cp866", "Cyrillic, DOS", charmap.CodePage866, unicode.Cyrillic, false},
	{"cp850", "Western European, DOS", charmap.CodePage850, nil, false},
	{"cp852", "Central European, DOS", charmap.CodePage852, nil, false},
	{"cp437", "American, DOS", charmap.CodePage437, nil, false},
	{"macintosh", "Western European, Mac", charmap.Macintosh, nil, false},
}

// findEncoding finds an encoding by any of its usual names, such as windows-1250, cp1250, 1250, Shift_JIS, 932 or
// ANSI 1252. It returns nil for an unknown name. webName is the standard name of the encoding on the web. If there is
// no standard name, it is the given name in lower case.
func findEncoding(name string) (e encoding.Encoding, webName string) {
	folded := strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(charsets, func(c charset) bool { return c.name == folded })
	if i >= 0 {
		return charsets[i].encoding, charsets[i].name
	}
	e = codePage(name)
	if e == nil {
		return nil, ""
	}
	i = slices.IndexFunc(charsets, func(c charset) bool { return c.encoding == e })
	if i >= 0 {
		return e, charsets[i].name
	}
	webName, err := htmlindex.Name(e)
	if err != nil {
		return e, folded
	}
	return e, webName
}

// CheckEncoding returns an error if name is not an encoding that [Options] can have. The error lists the usual names.
// An empty name is allowed, because it lets the reader detect the encoding.
func CheckEncoding(name string) error {
	if failed := checkEncoding(name); failed != nil {
		return failed
	}
	return nil
}

func checkEncoding(name string) *Error {
	if name == "" {
		return nil
	}
	if e, _ := findEncoding(name); e != nil {
		return nil
	}
	names := []string{"utf-8"}
	for _, c := range charsets {
		names = append(names, c.name)
	}
	return newError(BadEncoding, "the encoding %q is not known; use one of %s", []byte(name), strings.Join(names, ", "))
}

// decodeTable converts the text of a table from the chosen encoding to UTF-8. If chosen is "", it detects UTF-8 and
// UTF-16, and guesses any other encoding from the letters in the text.
func decodeTable(data []byte, chosen string) (text []byte, d decoding, failed *Error) {
	if chosen != "" {
		return decodeChosen(data, chosen)
	}
	_, isUTF16 := utf16Order(data)
	body := bytes.TrimPrefix(data, byteOrderMark)
	if isUTF16 || utf8.Valid(body) {
		text, d.note, failed = decodeText(data, "")
		d.name = "utf-8" // also for UTF-16, which cannot be chosen
		return text, d, failed
	}
	guesses := guessCharset(body)
	text, err := guesses[0].encoding.NewDecoder().Bytes(body)
	if err != nil {
		return nil, d, newError(BadEncoding, "the text cannot be decoded: %v; save the file as UTF-8", err)
	}
	return text, guessedDecoding(guesses), nil
}

// guessedDecoding describes a text that was decoded with a guessed encoding. guesses are the possible encodings, and
// the first of them was used. The result has a warning that the encoding was guessed, and a question that lets the
// user choose another of the guesses.
func guessedDecoding(guesses []charsetGuess) decoding {
	best := guesses[0]
	question := Question{Kind: AskEncoding, Text: "Which encoding does the text have?", Certain: best.isCertain}
	for _, guess := range guesses {
		label := fmt.Sprintf("%s (%s): %s", guess.name, guess.label, guess.sample)
		question.Choices = append(question.Choices, Choice{Value: guess.name, Label: label})
	}
	note := newError(EncodingGuessed,
		"the text was read as %s by its letters (%s), for example %s", best.name, best.label, best.sample)
	return decoding{name: best.name, note: note, question: &question}
}

// decodeChosen converts a text from the chosen encoding to UTF-8.
func decodeChosen(data []byte, chosen string) (text []byte, d decoding, failed *Error) {
	if failed := checkEncoding(chosen); failed != nil {
		return nil, d, failed
	}
	e, name := findEncoding(chosen)
	d.name = name
	text, d.note, failed = toUTF8(data, e, nil)
	return text, d, failed
}

// charsetGuess is a possible encoding of a text.
type charsetGuess struct {
	charset
	score     float64  // higher if the text fits the encoding better
	words     []string // words of the text with letters beyond ASCII, decoded in this encoding
	sample    string   // example for the user: a word decoded in this encoding; see chooseSamples
	isCertain bool
}

// maxWords is the maximum number of words that are examined to guess an encoding.
const maxWords = 400

// foreignWords returns the first words of a text that have bytes beyond ASCII, at most maxWords.
func foreignWords(data []byte) (words [][]byte) {
	for i := 0; i < len(data) && len(words) < maxWords; i++ {
		isForeign := data[i] >= utf8.RuneSelf
		if !isForeign {
			continue
		}
		word, end := wordAround(data, i)
		words = append(words, word)
		i = end
	}
	return words
}

// wordAround returns the word that contains the byte at index i, and the index after the word.
func wordAround(data []byte, i int) (word []byte, end int) {
	isBreak := func(c byte) bool { return c < utf8.RuneSelf && !isLetter(c) }
	start := i
	for start > 0 && !isBreak(data[start-1]) {
		start--
	}
	end = i
	for end < len(data) && (!isBreak(data[end]) || isTrail(data[start:end+1])) {
		end++
	}
	return data[start:end], end
}

// isTrail reports whether the last byte of a word can be the second byte of a two-byte character. In GB 18030 and
// Shift_JIS, this byte can be an ASCII digit or sign, which otherwise would end the word.
func isTrail(word []byte) bool {
	last := word[len(word)-1]
	if last < 0x40 || len(word) < 2 {
		return false
	}
	lead := 0
	for i := len(word) - 2; i >= 0 && word[i] >= 0x80; i-- {
		lead++
	}
	return lead%2 == 1
}

// guessCharset returns the encodings that a text may have, the most likely first. If several encodings decode the
// text to the same words, it returns only the first of them.
func guessCharset(data []byte) []charsetGuess {
	words := foreignWords(data)
	letters := float64(countForeignBytes(words))
	guesses := scoreCharsets(words, letters)
	if len(guesses) == 0 {
		guess, _ := scoreCharset(charsets[0], words)
		return []charsetGuess{guess}
	}
	margin := certainMargin * letters
	guesses[0].isCertain = isCertainGuess(guesses, margin, data)
	chooseSamples(guesses)
	leastScore := guesses[0].score - choiceMargins*margin
	n := 1
	for n < len(guesses) && n < maxCharsetChoices && guesses[n].score > leastScore {
		n++
	}
	return guesses[:n]
}

// How guessCharset chooses encodings by their scores. Every byte beyond ASCII adds about 1 to the score of the right
// encoding. rankPenalty and certainMargin are therefore multiplied by the number of these bytes.
const (
	rankPenalty       = 0.01 // subtracted for each encoding before it in charsets, so that usual encodings win a tie
	certainMargin     = 0.25 // if the best guess leads the second by this much, it is used without asking
	choiceMargins     = 6    // an encoding is offered unless this many times certainMargin behind the best
	maxCharsetChoices = 5
)

func countForeignBytes(words [][]byte) int {
	n := 0
	for _, word := range words {
		for _, c := range word {
			if c >= 0x80 {
				n++
			}
		}
	}
	return n
}

// scoreCharsets returns the encodings in which all words are valid, the most likely first. letters is the number of
// bytes beyond ASCII in the words. If several encodings decode the words in the same way, it returns only the first
// of them.
func scoreCharsets(words [][]byte, letters float64) []charsetGuess {
	var guesses []charsetGuess
	for rank, c := range charsets {
		guess, ok := scoreCharset(c, words)
		if !ok {
			continue
		}
		hasSameWords := func(g charsetGuess) bool { return slices.Equal(g.words, guess.words) }
		if slices.ContainsFunc(guesses, hasSameWords) {
			continue
		}
		guess.score -= float64(rank) * rankPenalty * letters
		guesses = append(guesses, guess)
	}
	slices.SortStableFunc(guesses, func(a, b charsetGuess) int { return cmp.Compare(b.score, a.score) })
	return guesses
}

// isCertainGuess reports whether the first guess is so likely that the user need not be asked. Its score must be
// positive, and higher than the score of the second guess by at least margin. windows-1252 also wins with a smaller
// lead over windows-1250 if the text does not look Slavic.
func isCertainGuess(guesses []charsetGuess, margin float64, data []byte) bool {
	best := guesses[0]
	if best.score <= 0 {
		return false
	}
	if len(guesses) == 1 {
		return true
	}
	second := guesses[1]
	if best.score-second.score >= margin {
		return true
	}
	// windows-1252 and windows-1250 differ in few letters, so their scores are nearly equal.
	return best.name == "windows-1252" && second.name == "windows-1250" && !hasSlavicPairs(data)
}

// chooseSamples chooses the example that the user sees for each guess. It is the first word that the two best guesses
// decode differently.
func chooseSamples(guesses []charsetGuess) {
	if len(guesses) < 2 {
		return
	}
	for i, word := range guesses[0].words {
		if word == guesses[1].words[i] {
			continue
		}
		for k := range guesses {
			guesses[k].sample = guesses[k].words[i]
		}
		return
	}
}

// hasSlavicPairs reports whether a text has pairs of letters that are usual in Slavic languages and
// rare in Western languages.
func hasSlavicPairs(data []byte) bool {
	text := strings.ToLower(string(data[:min(len(data), 1<<16)]))
	for _, pair := range []string{"cz", "sz", "rz", "dz", "ow", "ska", "ski", "sko", "nik"} {
		if strings.Contains(text, pair) {
			return true
		}
	}
	return false
}

// scoreCharset decodes words in an encoding and adds up the scores of the decoded words. ok is false if a word is not
// valid in the encoding.
func scoreCharset(c charset, words [][]byte) (guess charsetGuess, ok bool) {
	guess.charset = c
	decoder := c.encoding.NewDecoder()
	ok = true
	for _, word := range words {
		text, err := decoder.Bytes(word)
		if err != nil {
			return guess, false
		}
		score, valid := c.scoreWord([]rune(string(text)))
		if !valid {
			ok = false
		}
		guess.score += score
		guess.words = append(guess.words, oneLine(text))
	}
	if len(guess.words) > 0 {
		guess.sample = guess.words[0]
	}
	return guess, ok
}

// Letters and signs beyond ASCII that are usual in names.
const (
	usualLetters  = "äöüßéèáíóúñçãâêôàåøæÄÖÜÉÁÓÍÇØÅł"
	secondLetters = "õîïëûùòìýžščřěůőűąęśźżćńďťňđășțşţğıİĄĆĘŁŃÓŚŹŻČĎĚŇŘŠŤŮŽÝÈÀÊÔÂÎāēģīķļņūėįųĀĒĢĪĶĻŅŪĖĮŲơưÑÃÕÆ"
	consonants    = "ñçłžščřďťňđśźżćńşţșțğģķļņßŁŽŠČŘĎŤŇĐŚŹŻĆŃŞŢ"
	cyrillic      = "оеаинтсрвлкмдпуя"
	greekLetters  = "αοιετσνηυρπκμλςάίόέήώύ"
	plainSigns    = "°²³€§±–—’‘“”„…½¼·«»µ"
)

// These numbers are added to the scores of a word's characters. A usual letter beyond ASCII scores about 1.
const (
	invalidWord       = -10  // the word cannot be in the encoding
	knownHeaderWord   = 4    // the word is usual in headers of tables, so the encoding is almost certainly right
	misplacedFinal    = -2   // for each Hebrew letter inside a word that has its form for the end of a word
	missingAccent     = -0.4 // for each letter of a Greek word without an accent
	missingVowel      = -1   // for each letter of a Cyrillic word without a vowel
	minAccentedLength = 4    // shorter Greek words can be without an accent
	minVowelledLength = 3    // shorter Cyrillic words can be without a vowel
)

// scoreWord returns a higher score the more the word looks like a word of the languages that use the encoding. valid
// is false if the word has control characters or could not be decoded.
func (c *charset) scoreWord(word []rune) (score float64, valid bool) {
	for i, r := range word {
		if r < utf8.RuneSelf {
			continue
		}
		isControl := unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r)
		if r == utf8.RuneError || isControl {
			return invalidWord, false
		}
		before, after := neighboursOf(word, i)
		score += c.scoreCharacter(r, before, after)
		score -= casePenalty(word, i)
		if isHebrewFinal(r) && unicode.IsLetter(after) {
			score += misplacedFinal
		}
	}
	return score + c.scoreSpelling(word), true
}

// scoreSpelling returns the part of a word's score that depends on the whole word. A word that is usual in headers
// gets points. A Greek word without an accent and a Cyrillic word without a vowel lose points.
func (c *charset) scoreSpelling(word []rune) float64 {
	text := string(word)
	letters := float64(len(word))
	score := 0.0
	if isHeaderWord(text) {
		score += knownHeaderWord
	}
	if c.script == unicode.Greek && len(word) >= minAccentedLength && lacksGreekAccent(text) {
		score += missingAccent * letters
	}
	if c.script == unicode.Cyrillic && len(word) >= minVowelledLength && lacksCyrillicVowel(text) {
		score += missingVowel * letters
	}
	return score
}

// isHebrewFinal reports whether a character is one of the Hebrew letter forms that are used only at the end of a
// word.
func isHebrewFinal(r rune) bool { return strings.ContainsRune("ןםךףץ", r) }

// casePenalty returns how much the score of a word is reduced at index i because capital and small letters are mixed.
// Words such as "Mast", "mast" and "MAST" are not reduced.
func casePenalty(word []rune, i int) float64 {
	before, after := neighboursOf(word, i)
	r := word[i]
	penalty := 0.0
	isCapitalWithin := unicode.IsLower(before) && unicode.IsUpper(r)
	isSmallAfterCapital := unicode.IsUpper(before) && unicode.IsLower(r) && i > 1
	if isCapitalWithin || isSmallAfterCapital {
		penalty += 1.5
	}
	if unicode.IsLower(r) && unicode.IsUpper(after) {
		penalty += 1.5
	}
	return penalty
}

// neighboursOf returns the characters before and after index i of a word. At the start or the end of the word, the
// missing neighbour is 0.
func neighboursOf(word []rune, i int) (before, after rune) {
	if i > 0 {
		before = word[i-1]
	}
	if i+1 < len(word) {
		after = word[i+1]
	}
	return before, after
}

// scoreCharacter returns the score of the character r beyond ASCII. before and after are its neighbours in the word.
func (c *charset) scoreCharacter(r, before, after rune) float64 {
	isAccent := unicode.Is(unicode.Mn, r)
	if !unicode.IsLetter(r) && !isAccent {
		return scoreSign(r, before, after)
	}
	if c.isWide {
		return scoreWide(r, before, after) - 0.1
	}
	return c.scoreLetter(r, before, after)
}

// lacksGreekAccent reports whether a Greek word has no accent. It returns false for a word in capitals, which needs
// none.
func lacksGreekAccent(text string) bool {
	isCapitals := strings.ToUpper(text) == text
	return !isCapitals && !strings.ContainsAny(text, "άέήίόύώΆΈΉΊΌΎΏ")
}

// lacksCyrillicVowel reports whether a word has no vowel, neither Cyrillic nor Latin.
func lacksCyrillicVowel(text string) bool {
	return !strings.ContainsAny(strings.ToLower(text), "аеёиоуыэюяіїєaeiouy")
}

// isHeaderWord reports whether a word is usual in the headers of tables.
func isHeaderWord(text string) bool {
	words := headerWords(text)
	if len(words) != 1 {
		return false
	}
	word := words[0]
	return latitudeWords[word] || longitudeWords[word] || labelWords[word] || measureWords[word]
}

// scoreSign returns the score of a character that is not a letter, such as ° or ². A sign that is usual in tables
// gets points. A sign between two letters, or an unusual sign, loses points.
func scoreSign(r, before, after rune) float64 {
	isWithinWord := unicode.IsLetter(before) && unicode.IsLetter(after)
	if isWithinWord || !strings.ContainsRune(plainSigns, r) {
		return -3
	}
	return 0.5
}

// scoreLetter returns the score of the letter r in an encoding with one byte for each character. A usual letter
// scores 1, and a rare letter less. The score is lower if the letter does not fit its neighbours.
func (c *charset) scoreLetter(r, before, after rune) float64 {
	if c.script == nil {
		return c.scoreLatinLetter(r, before, after)
	}
	return c.scoreScriptLetter(r, before, after)
}

// scoreScriptLetter returns the score of the letter r in an encoding for a script other than Latin, such as Greek. The
// score is low if a neighbour, before or after, is a letter of another script, because words rarely mix scripts.
func (c *charset) scoreScriptLetter(r, before, after rune) float64 {
	if !unicode.Is(c.script, r) {
		return -0.5
	}
	score := 0.6
	lower := unicode.ToLower(r)
	isUsual := strings.ContainsRune(cyrillic, lower) || strings.ContainsRune(greekLetters, lower)
	if isUsual || c.script == unicode.Hebrew || c.script == unicode.Arabic {
		score = 1
	}
	for _, neighbour := range []rune{before, after} {
		if unicode.IsLetter(neighbour) && !unicode.Is(c.script, neighbour) {
			score -= 2
		}
	}
	return score
}

// scoreLatinLetter returns the score of the letter r in an encoding for the Latin script. before and after are its
// neighbours in the word.
func (c *charset) scoreLatinLetter(r, before, after rune) float64 {
	score := -0.8 // in windows-1258: Vietnamese has separate marks after its letters, so any letter is a bad sign
	if c.name != "windows-1258" {
		score = scoreLatin(r)
	}
	for _, neighbour := range []rune{before, after} {
		if neighbour >= 0x80 && unicode.IsLetter(neighbour) { // several such letters after each other suggest another script
			score--
		}
	}
	isConsonant := strings.ContainsRune(consonants, r)
	if isConsonant && r != 'ß' && isConsonantRune(before) && isConsonantRune(after) {
		score--
	}
	if (r == 'ñ' || r == 'Ñ') && !isVowel(after) { // windows-1250 has ń for the byte of ñ
		score--
	}
	return score
}

// scoreLatin returns the score of a Latin letter beyond ASCII. It does not look at the neighbours of the letter.
func scoreLatin(r rune) float64 {
	if strings.ContainsRune(usualLetters, r) {
		return 1
	}
	if strings.ContainsRune(secondLetters, r) {
		return 0.8
	}
	return -0.5
}

func isVowel(r rune) bool {
	return strings.ContainsRune("aeiouyAEIOUYáéíóúäöüàèâêôãõåæø", r)
}

func isConsonantRune(r rune) bool { return r < 0x80 && unicode.IsLetter(r) && !isVowel(r) }

// usualWide are characters that are usual in names in Chinese, Japanese and Korean.
const usualWide = "的一是不了人在有中大上国个地出年下生自家学小多天日本公三老高全工月明新重电東西南北门海口平山五水市" +
	"县省路站塔楼厂场测点号区桥村镇河湖江州风机变线杆基础道路桥梁园院城湾港岛林田石头镇乡岭沟庄站段" +
	"縣區號點測廠場樓橋鎮灣島電風機變線桿園鄉莊線東門國學會" +
	"鉄塔号棟線橋山川田村町市区県所場電力風車港駅工場設備地点第号基橋脚屋根駐車現場" +
	"이다는을의가에한하고지사시로도기아리자인나대어서정부수전장일주구동산면군읍탑호남북중상성교강천원소발철현송마을제번포항해역건물공단지점"

// scoreWide returns the score of the character r in an encoding with two bytes for each character, such as Shift_JIS.
// before and after are its neighbours in the word.
func scoreWide(r, before, after rune) float64 {
	var score float64
	switch {
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xff00:
		score = 1.6
	case strings.ContainsRune(usualWide, r):
		score = 2
	case unicode.Is(unicode.Hangul, r):
		score = 1
	case unicode.Is(unicode.Han, r):
		score = 0.5
	case r >= 0xff61 && r <= 0xff9f: // katakana of half the width
		score = -0.5
	default:
		score = -1
	}
	if before < 0x80 && unicode.IsLetter(before) && after < 0x80 && unicode.IsLetter(after) {
		score -= 3
	}
	return score
}
