// Answers for each line of JSON `{"pattern": …, "texts": […]}` on its input what Go's regexp makes of the pattern: why it cannot be read, or
// where the leftmost match of each text is, in code points.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"regexp"
	"unicode/utf8"
)

type question struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

type answer struct {
	Problem string  `json:"problem,omitempty"`
	Found   [][]int `json:"found,omitempty"`
}

func main() {
	questions := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	for {
		var asked question
		if err := questions.Decode(&asked); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(answerTo(asked)); err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func answerTo(asked question) answer {
	expression, err := regexp.Compile(asked.Pattern)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	var found [][]int
	for _, text := range asked.Texts {
		span := expression.FindStringIndex(text)
		for i, offset := range span {
			span[i] = utf8.RuneCountInString(text[:offset])
		}
		found = append(found, span)
	}
	return answer{Found: found}
}
